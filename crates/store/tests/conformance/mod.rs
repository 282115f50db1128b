//! The tests that every store must pass. `store_tests!` makes a test of each check for one kind of store.

pub(crate) mod checks;
pub(crate) mod concurrent;

/// Makes the tests for one kind of store. The expression is a future that opens an empty store; its output may be a
/// guard that derefs to the store.
macro_rules! store_tests {
    ($open:expr) => {
        $crate::store_tests! { checks, $open =>
            a_table_is_described_as_it_was_made,
            indexes_come_and_go,
            a_protected_table_stays,
            a_stream_is_turned_on_and_off,
            capacity_is_provisioned_changed_and_given_up,
            recovery_reaches_as_far_as_it_shall_and_can_be_turned_off,
            what_is_put_can_be_got,
            a_failed_condition_brings_the_item_that_is_there,
            an_update_and_its_condition_read_the_item_before,
            a_delete_gives_what_was_there,
            a_query_is_bounded_by_every_test_of_a_sort_key,
            pages_follow_each_other_in_both_directions,
            a_filter_and_a_projection_leave_things_out,
            an_index_of_several_attributes_is_queried_by_its_parts,
            a_scan_reads_everything_page_by_page,
            queries_at_once_are_answered_in_order,
            a_batch_has_any_number_of_keys,
            a_batch_larger_than_one_answer_comes_whole,
            a_transaction_reads_in_order_with_gaps,
            a_transaction_writes_all_or_nothing,
            a_token_makes_a_transaction_happen_once,
            reads_and_writes_say_what_they_cost,
            what_is_wrong_is_told_apart,
            every_call_tells_that_a_table_is_missing,
            a_tree_that_is_wrong_for_every_item_is_refused,
        }
        $crate::store_tests! { concurrent, $open =>
            concurrent_updates_of_one_item_all_count,
            of_concurrent_creates_one_succeeds,
            concurrent_transactions_keep_a_sum,
            a_dropped_transaction_takes_effect_whole_or_not_at_all,
        }
    };
    ($file:ident, $open:expr => $($check:ident),* $(,)?) => {
        $(
            #[test]
            fn $check() {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let store = $open.await;
                    $crate::conformance::$file::$check(&*store).await;
                });
            }
        )*
    };
}
pub(crate) use store_tests;
