//! `INSERT`, `UPDATE` and `DELETE`.

use singlet_expr::{Action, Change, Path, Problem, SetValue};
use singlet_values::Kind;

use super::{Parser, leftover};
use crate::error::{Position, StatementError};
use crate::statement::{Delete, Insert, Returning, Update};

impl Parser<'_> {
    /// The statement after the word `INSERT`.
    pub(super) fn insert(&mut self) -> Result<Insert, StatementError> {
        self.expect_word("INTO")?;
        let source = self.source()?;
        if source.index.is_some() {
            return Err(StatementError::InsertIntoIndex);
        }
        if self.token.is_symbol("<<") || self.token.is_word("VALUES") {
            return Err(StatementError::SeveralItems);
        }
        if !self.take_word("VALUE")? {
            return Err(leftover());
        }
        let position = self.position();
        if !self.take_symbol("{")? {
            return Err(StatementError::NotAnItem { position });
        }
        let item = self.item()?;
        match self.token.is_word("RETURNING") {
            true => Err(StatementError::InsertReturning),
            false => Ok(Insert { table: source.table, item }),
        }
    }

    /// The statement after the word `UPDATE`.
    pub(super) fn update(&mut self) -> Result<Update, StatementError> {
        let table = self.written_table()?;
        let update = self.changes()?;
        let condition = self.where_clause()?;
        Ok(Update { table, update, condition, returning: self.returning()? })
    }

    /// The other order of an update: `FROM table WHERE … SET …`, after the word `FROM`.
    pub(super) fn update_from(&mut self) -> Result<Update, StatementError> {
        let table = self.written_table()?;
        let condition = self.where_clause()?;
        let update = self.changes()?;
        Ok(Update { table, update, condition, returning: self.returning()? })
    }

    /// The statement after the word `DELETE`.
    pub(super) fn delete(&mut self) -> Result<Delete, StatementError> {
        self.expect_word("FROM")?;
        let table = self.written_table()?;
        let condition = self.where_clause()?;
        let returns_old = match self.returning()? {
            None => false,
            Some(Returning::AllOld) => true,
            Some(other) => return Err(StatementError::DeleteReturning { returning: other.words() }),
        };
        Ok(Delete { table, condition, returns_old })
    }

    fn written_table(&mut self) -> Result<String, StatementError> {
        let source = self.source()?;
        if source.index.is_some() {
            return Err(StatementError::WriteToIndex);
        }
        self.refuse_alias()?;
        Ok(source.table)
    }

    /// `SET` and `REMOVE` clauses, in any number.
    fn changes(&mut self) -> Result<singlet_expr::Update, StatementError> {
        let mut actions = Vec::new();
        loop {
            if self.take_word("SET")? {
                actions.extend(self.list(Parser::assignment)?);
            } else if self.take_word("REMOVE")? {
                let remove = |path| Action { path, change: Change::Remove };
                actions.extend(self.list(Parser::path)?.into_iter().map(remove));
            } else if actions.is_empty() {
                return Err(StatementError::malformed("Expected data manipulation"));
            } else {
                break;
            }
        }
        let update = singlet_expr::Update::new(actions);
        update.check()?;
        Ok(update)
    }

    fn assignment(&mut self) -> Result<Action, StatementError> {
        let path = self.path()?;
        self.expect_symbol("=")?;
        let position = self.position();
        let change = match self.set_function() {
            Some(function) => self.set_change(function, &path, position)?,
            None => Change::Set(self.sum()?),
        };
        Ok(Action { path, change })
    }

    /// `set_add` or `set_delete`, if one of them comes next.
    fn set_function(&self) -> Option<&'static str> {
        ["SET_ADD", "SET_DELETE"].into_iter().find(|function| self.token.is_word(function))
    }

    /// `set_add(path, set)` and `set_delete(path, set)` are the older actions `ADD` and `DELETE`.
    fn set_change(
        &mut self,
        function: &'static str,
        path: &Path,
        position: Position,
    ) -> Result<Change, StatementError> {
        self.advance()?;
        self.expect_symbol("(")?;
        let first_position = self.position();
        let mut arguments = self.list(Parser::operand)?.into_iter();
        self.expect_symbol(")")?;
        let (Some(target), Some(set), None) = (arguments.next(), arguments.next(), arguments.next()) else {
            return Err(StatementError::SetArguments { function, position });
        };
        if !matches!(target, SetValue::Path(target) if target == *path) {
            return Err(StatementError::SetTarget { function, position });
        }
        match set {
            SetValue::Literal(set) if matches!(set.kind(), Kind::Ss | Kind::Ns | Kind::Bs) => {
                Ok(if function == "SET_ADD" { Change::Add(set) } else { Change::Delete(set) })
            }
            _ => Err(StatementError::SetOperand { function, position: first_position }),
        }
    }

    /// A value, or the sum or difference of two.
    fn sum(&mut self) -> Result<SetValue, StatementError> {
        let left = self.operand()?;
        let value = if self.take_symbol("+")? {
            SetValue::Sum(Box::new(left), Box::new(self.operand()?))
        } else if self.take_symbol("-")? {
            SetValue::Difference(Box::new(left), Box::new(self.operand()?))
        } else {
            left
        };
        if self.token.is_word("IS") {
            return Err(StatementError::IsInUpdate);
        }
        if ["+", "-", "*", "/", "%", "||"].iter().any(|symbol| self.token.is_symbol(symbol)) {
            return Err(StatementError::UpdateOperator { operator: self.token.text.to_owned() });
        }
        Ok(value)
    }

    /// A path, a literal or a function of updates.
    fn operand(&mut self) -> Result<SetValue, StatementError> {
        if !self.at_identifier() {
            return Ok(SetValue::Literal(self.literal()?));
        }
        let position = self.position();
        let name = self.advance()?;
        if !self.token.is_symbol("(") {
            return Ok(SetValue::Path(self.path_after(name.content())?));
        }
        let function = match name.text.to_lowercase().as_str() {
            "list_append" => "list_append",
            "if_not_exists" => "if_not_exists",
            other => {
                return Err(StatementError::UnknownFunction { function: other.to_owned(), position });
            }
        };
        self.advance()?;
        let arguments = self.nested(|parser| parser.list(Parser::operand))?;
        self.expect_symbol(")")?;
        let count = arguments.len();
        let Ok([first, second]) = <[SetValue; 2]>::try_from(arguments) else {
            return Err(Problem::OperandCount { function, count }.into());
        };
        match (function, first) {
            ("list_append", first) => Ok(SetValue::ListAppend(Box::new(first), Box::new(second))),
            (_, SetValue::Path(path)) => Ok(SetValue::IfNotExists(path, Box::new(second))),
            _ => Err(Problem::NeedsPath { function }.into()),
        }
    }

    fn returning(&mut self) -> Result<Option<Returning>, StatementError> {
        if !self.take_word("RETURNING")? {
            return Ok(None);
        }
        let all = self.take_word("ALL")?;
        if !all {
            self.expect_word("MODIFIED")?;
        }
        let old = self.take_word("OLD")?;
        if !old {
            self.expect_word("NEW")?;
        }
        if !self.take_symbol("*")? {
            return Err(StatementError::ReturningStar);
        }
        Ok(Some(match (all, old) {
            (true, true) => Returning::AllOld,
            (true, false) => Returning::AllNew,
            (false, true) => Returning::ModifiedOld,
            (false, false) => Returning::ModifiedNew,
        }))
    }
}
