//! Runs patterns for callers of the API.

use singlet_design::{Callers, Pattern, Who};
use singlet_store::Store;

use super::caller::Caller;
use super::decide::{Decision, Question};
use super::items::reached;
use super::relation::joined;
use crate::arguments::{ArgumentList, Arguments};
use crate::call::Paging;
use crate::error::{RunError, WrongParameter};
use crate::outcome::Outcome;
use crate::rights::Rights;
use crate::runner::{Runner, check_arguments};

impl<S: Store> Runner<S> {
    /// Runs a pattern for a caller, as far as the design's rules allow it. In a design without `[caller]`, everybody may
    /// run every pattern that isn't internal.
    ///
    /// A parameter that is the caller doesn't have to be given. Items that the caller may not reach are the same as
    /// missing ones. Cursors are bound to the caller.
    pub async fn run_as(
        &self,
        caller: &Caller,
        pattern: &str,
        arguments: &dyn ArgumentList,
        paging: &Paging,
    ) -> Result<Outcome, RunError> {
        let Some(callers) = &self.design().callers else { return self.run(pattern, arguments, paging).await };
        let Some((found, who)) = rule(self.design(), callers, pattern) else {
            return self.run(pattern, arguments, paging).await;
        };
        let arguments = with_own(callers, caller, who, arguments)?;
        let rights = self.rights((callers, found), who, caller, &arguments).await?;
        let outcome = self.run_with(&rights, pattern, &arguments, paging).await?;
        Ok(match rights.own() {
            Some(condition) if found.reads() => reached(outcome, condition),
            _ => outcome,
        })
    }

    /// Checks the arguments of a caller's call without running it, and returns all that are missing, unknown or don't
    /// fit.
    pub fn check_as(
        &self,
        caller: &Caller,
        pattern: &str,
        arguments: &dyn ArgumentList,
    ) -> Vec<WrongParameter> {
        let Some(found) = self.design().pattern(pattern) else { return Vec::new() };
        let callers = self.design().callers.as_ref();
        let ruled = callers.and_then(|callers| Some((callers, rule(self.design(), callers, pattern)?.1)));
        match ruled.map(|(callers, who)| with_own(callers, caller, who, arguments)) {
            Some(Ok(arguments)) => check_arguments(found, &arguments),
            Some(Err(RunError::Parameter { parameter, reason })) => {
                vec![WrongParameter { parameter, reason }]
            }
            Some(Err(_)) => Vec::new(),
            None => check_arguments(found, arguments),
        }
    }

    /// Whether the answer of a pattern depends on items other than those that it reads: on relations of its caller.
    pub fn looks_elsewhere(&self, pattern: &str) -> bool {
        let who = self.design().callers.as_ref().and_then(|callers| callers.rules.get(pattern));
        who.is_some_and(|who| who.leaves().iter().any(|rule| matches!(rule, Who::Related { .. })))
    }

    /// Whether a caller may run a pattern at all, whatever its arguments are. Of rules about items and relations, it is
    /// taken that they hold.
    pub fn may_run(&self, caller: &Caller, pattern: &str) -> bool {
        let design = self.design();
        let Some(found) = design.pattern(pattern).filter(|found| !found.internal) else { return false };
        let Some(callers) = &design.callers else { return true };
        let Some((_, who)) = rule(design, callers, pattern) else { return false };
        let own = |rule: &&Who| match rule {
            Who::Own { parameter } => Some(parameter.clone()),
            _ => None,
        };
        let Some(id) = caller.value(callers) else { return who.admits_anyone() };
        let arguments: Arguments =
            who.leaves().iter().filter_map(own).map(|name| (name, id.clone())).collect();
        let question = Question { callers, pattern: found, caller, arguments: &arguments, holds: &|_| true };
        question.decide(who) != Decision::Refused || has_owner(who)
    }

    /// The rights of a call; an error if it is refused.
    async fn rights(
        &self,
        (callers, pattern): (&Callers, &Pattern),
        who: &Who,
        caller: &Caller,
        arguments: &Arguments,
    ) -> Result<Rights, RunError> {
        let decide = |holds: &dyn Fn(&Who) -> bool| {
            Question { callers, pattern, caller, arguments, holds }.decide(who)
        };
        let mut decision = decide(&|_| false);
        let hoped = decide(&|_| true);
        if decision != Decision::Allowed && decision != hoped {
            let wrong = check_arguments(pattern, arguments);
            if !wrong.is_empty() {
                return Err(RunError::of(pattern, wrong));
            }
            let mut holding: Vec<&Who> = Vec::new();
            for rule in who.leaves() {
                if self.holds((callers, caller), rule, arguments).await? {
                    holding.push(rule);
                }
            }
            decision = decide(&|rule| holding.contains(&rule));
        }
        let rules = match decision {
            Decision::Allowed => Vec::new(),
            Decision::For(rules) => rules,
            Decision::Refused if caller.value(callers).is_none() => return Err(RunError::NoCaller),
            Decision::Refused => return Err(RunError::Forbidden { pattern: pattern.name.clone() }),
        };
        // A read for anyone has the same cursors for everybody.
        let bond = if *who == Who::Anyone { Caller::nobody().bond() } else { caller.bond() };
        Ok(Rights { bond, rules })
    }
}

/// The rule of a pattern that callers can run.
fn rule<'d>(
    design: &'d singlet_design::Design,
    callers: &'d Callers,
    pattern: &str,
) -> Option<(&'d Pattern, &'d Who)> {
    let who = callers.rules.get(pattern)?;
    design.pattern(pattern).map(|found| (&**found, who))
}

/// The arguments with the caller in the parameters that are the caller. Callers don't give one that is always the caller.
fn with_own(
    callers: &Callers,
    caller: &Caller,
    who: &Who,
    arguments: &dyn ArgumentList,
) -> Result<Arguments, RunError> {
    let id = caller.value(callers);
    if let Some(own) = who.own_parameter() {
        if arguments.argument(own).is_some() {
            let reason = "is the caller, and can't be given".to_owned();
            return Err(RunError::Parameter { parameter: own.to_owned(), reason });
        }
        let id = id.ok_or(RunError::NoCaller)?;
        return Ok(joined(arguments, Some((own, id))));
    }
    let own = who.leaves().into_iter().find_map(|rule| match rule {
        Who::Own { parameter } => Some(parameter.as_str()),
        _ => None,
    });
    Ok(joined(arguments, own.zip(id)))
}

fn has_owner(who: &Who) -> bool {
    who.leaves().into_iter().any(|rule| matches!(rule, Who::Owner { .. }))
}
