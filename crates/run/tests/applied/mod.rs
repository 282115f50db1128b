//! The behaviour of `apply`, and of runs with several requests, on every store. `apply_tests!` makes a test of each
//! check for one kind of store.

pub(crate) mod checks;
pub(crate) mod defaults;
pub(crate) mod references;
pub(crate) mod settings;

/// Tests of applying on a kind of store. The expression opens an empty one; it may be a guard that derefs to the store.
macro_rules! apply_tests {
    ($open:expr) => {
        $crate::apply_tests! { checks, $open =>
            a_new_index_entry_names_the_items_that_lack_it,
            a_changed_template_is_refused_with_both_templates,
            another_key_template_is_refused_while_there_are_items,
            changes_that_touch_no_item_are_applied,
            a_design_that_goes_back_finds_its_items_again,
            a_new_unique_field_names_the_items_that_reserved_nothing,
            values_that_nobody_freed_are_free_when_the_field_is_unique_again,
            an_entity_with_unique_values_that_comes_back_has_none_reserved_for_gone_items,
            an_entity_that_no_longer_expires_names_the_items_that_still_do,
            an_entity_that_is_gone_or_renamed_keeps_its_items_in_sight,
            items_of_an_unknown_design_are_compared_with_what_the_design_makes,
            imported_items_without_a_type_are_counted,
            of_two_applies_at_once_one_is_refused,
            a_deleted_table_is_forgotten,
            a_table_of_the_same_name_as_singlets_own_is_refused,
        }
        $crate::apply_tests! { defaults, $open =>
            a_new_index_entry_on_a_default_names_the_items_from_before_the_field,
            an_entry_with_a_condition_on_a_default_names_the_items_that_it_holds_for,
            a_new_index_on_a_field_with_a_default_names_the_items_that_lack_it,
            a_new_unique_field_with_a_default_names_the_items_that_reserved_nothing,
            a_changed_default_in_a_key_names_the_items_that_rely_on_it,
            a_changed_default_in_a_condition_names_the_items_that_rely_on_it,
            a_changed_default_of_a_unique_field_names_the_items_that_rely_on_it,
            a_changed_value_of_a_computed_field_names_the_items_that_hold_the_old_one,
            a_default_that_no_key_contains_may_change,
            a_changed_type_in_a_key_names_the_items_with_values_of_the_old_type,
            a_changed_type_in_a_condition_names_the_items_with_values_of_the_old_type,
            a_changed_type_of_a_unique_field_names_the_items_with_values_of_the_old_type,
            a_time_that_becomes_a_date_names_the_items_with_times,
        }
        $crate::apply_tests! { references, $open =>
            a_reference_is_checked_in_the_transaction_that_writes_it,
        }
        $crate::apply_tests! { settings, $open =>
            each_environment_has_its_own_settings,
            a_table_that_is_applied_to_another_environment_changes_its_settings,
            capacity_follows_the_design,
            an_index_is_added_to_a_table_with_provisioned_capacity,
            capacity_that_the_design_does_not_mention_stays,
            capacity_within_the_bounds_of_auto_scaling_stays,
        }
    };
    ($room:ident, $open:expr => $($check:ident),* $(,)?) => {
        $(
            #[test]
            fn $check() {
                let store = $open;
                $crate::applied::$room::$check(&*store);
            }
        )*
    };
}
pub(crate) use apply_tests;
