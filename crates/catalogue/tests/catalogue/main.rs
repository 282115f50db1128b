//! The requirements of the catalogue, row by row, on every store.
//!
//! Each function is named after its row in `designs/catalogue/rows.toml` and what it protects. Those of the designs
//! that come from no document are named after what they protect alone. A function writes through
//! patterns and looks at what comes back, on a [`stage::Stage`] that doesn't tell which store is behind it: the engine
//! in this process, or a DynamoDB endpoint over HTTP. That is a server of our own, or what `SINGLET_TEST_ENDPOINT`
//! names, such as Amazon's DynamoDB Local.

#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod arguments;
mod backend;
mod chat;
mod coverage;
mod designs;
mod jobs;
mod metering;
mod nishiki;
mod outsiders;
mod sensors;
mod settings;
mod shop;
mod shop_documents;
mod smart_cooking;
mod social;
mod stage;

/// Makes a test of each row for each store, and lists their names.
macro_rules! rows {
    ($($group:ident: $($module:ident)::+ on $design:literal { $($row:ident,)* })*) => {
        /// The names of all tests of rows.
        const TESTS: &[&str] = &[$($(stringify!($row)),*),*];

        mod embedded {
            $(mod $group {
                use crate::$($module)::+ as rows;
                $(#[test]
                fn $row() {
                    crate::backend::embedded($design, rows::$row);
                })*
            })*
        }

        #[cfg(feature = "http")]
        mod over_http {
            $(mod $group {
                use crate::$($module)::+ as rows;
                $(#[test]
                fn $row() {
                    crate::backend::http::play_row($design, stringify!($row), rows::$row);
                })*
            })*
        }
    };
}

rows! {
    users: smart_cooking::users on "smart-cooking" {
        sc_01_a_profile_is_found_by_id,
        sc_01_user_names_and_addresses_belong_to_one_user,
        sc_02_users_of_a_role_come_in_order_and_follow_its_changes,
        sc_03_a_user_has_preferences_from_the_beginning_and_changes_them,
        sc_04_each_privacy_setting_is_public_friends_or_private,
        sc_34_a_session_lives_24_hours_and_its_id_cannot_be_guessed,
    }
    ingredients: smart_cooking::ingredients on "smart-cooking" {
        sc_05_a_users_ingredients_are_added_listed_and_removed,
        sc_06_an_ingredient_is_had_however_it_is_written,
        sc_07_an_ingredient_is_found_by_id_and_with_its_aliases,
        sc_08_ingredients_are_found_by_the_beginning_of_a_name_or_alias,
        sc_09_ingredients_of_a_category_come_by_name,
        sc_38_vietnamese_names_fold_right,
        sc_38_normalized_names_are_attributes_as_documented,
        sc_41_active_ingredients_are_found_by_exactly_their_name,
        sc_41_active_ingredients_are_found_in_spite_of_a_typo_and_in_any_order_of_words,
    }
    recipes: smart_cooking::recipes on "smart-cooking" {
        sc_10_a_recipe_is_read_alone_and_with_its_ingredients_in_one_query,
        sc_10_an_author_deletes_a_recipe_with_its_ingredients,
        sc_11_a_recipes_ingredients_come_in_its_order,
        sc_12_a_users_recipes_come_newest_first,
        sc_13_recipes_of_a_method_come_best_rated_first,
        sc_13_to_16_one_recipe_is_in_all_four_lists_at_once,
        sc_14_recipes_of_a_cuisine_come_best_rated_first,
        sc_15_recipes_of_a_meal_type_come_best_rated_first_and_private_ones_leave,
        sc_16_only_approved_recipes_are_browsed_best_rated_first,
        sc_17_several_recipes_are_read_at_once,
    }
    cooking: smart_cooking::cooking on "smart-cooking" {
        sc_18_cooking_is_started_completed_and_listed_newest_first,
        sc_19_favourites_come_by_cook_date_newest_first_and_others_are_not_among_them,
        sc_33_what_was_cooked_in_a_month_comes_newest_first,
        sc_33_recipes_of_a_week_come_most_cooked_first,
    }
    ratings: smart_cooking::ratings on "smart-cooking" {
        sc_20_a_user_rates_a_recipe_once,
        sc_20_only_who_cooked_it_is_a_verified_cook,
        sc_37_a_recipe_has_the_average_and_the_number_of_its_ratings,
        sc_37_five_good_ratings_approve_a_recipe,
        sc_21_all_ratings_of_a_recipe_are_listed,
        sc_22_a_users_ratings_come_newest_first,
        sc_23_whether_a_user_has_rated_is_known,
    }
    suggestions: smart_cooking::suggestions on "smart-cooking" {
        sc_24_two_suggestions_in_one_instant_both_live,
        sc_24_suggestions_come_newest_first_take_feedback_and_go_after_90_days,
        sc_40_recipes_that_use_most_of_what_a_user_has_come_first,
    }
    friends: smart_cooking::friends on "smart-cooking" {
        sc_25_who_accepts_is_a_friend_of_who_asked_and_the_other_way,
        sc_25_status_with_one_user_is_known_until_it_ends_for_both,
        sc_25_who_was_declined_may_ask_again_and_nobody_befriends_oneself,
    }
    posts: smart_cooking::posts on "smart-cooking" {
        sc_26_a_users_posts_come_newest_first,
        sc_26_a_deleted_posts_comments_and_reactions_are_deleted,
        sc_26_an_author_deletes_a_post_and_nobody_comments_or_reacts_any_more,
        sc_36_posts_show_the_present_name_and_picture_of_their_author,
        sc_27_the_public_feed_has_everybodys_public_posts_newest_first,
        sc_28_the_personal_feed_has_friends_posts_newest_first,
        sc_29_an_author_changes_and_deletes_a_comment,
        sc_29_comments_come_oldest_first_and_answers_under_their_parent,
        sc_30_a_user_reacts_to_a_post_once,
    }
    notices: smart_cooking::notices on "smart-cooking" {
        sc_31_unread_notifications_are_those_not_read_yet,
        sc_31_comments_reactions_and_requests_notify_once,
        sc_32_pending_reports_come_most_reported_first_ten_before_nine,
        sc_32_each_report_counts_whether_it_is_the_first_or_not,
    }
    nishiki: nishiki on "nishiki" {
        ni_01_a_user_is_found_by_id,
        ni_02_membership_is_known,
        ni_03_an_address_leads_to_one_users_id,
        ni_04_a_users_groups_are_listed,
        ni_05_a_group_is_found_by_id,
        ni_06_a_container_leads_to_its_group,
        ni_07_a_groups_containers_are_listed,
        ni_08_only_the_users_of_a_group_are_listed,
        ni_09_a_container_comes_with_its_foods,
        ni_10_an_invitation_is_found_by_its_link_until_it_expires,
        ni_11_a_groups_invitation_is_found,
        ni_12_one_food_changes_and_the_others_stay,
        ni_12_a_container_takes_no_more_foods_than_its_bound,
        ni_13_a_group_is_made_with_its_first_member_and_container,
        ni_13_a_group_is_deleted_with_what_belongs_to_it,
        ni_13_who_has_the_link_joins_once_and_may_leave,
    }
    shop: shop on "shop" {
        nm_01_the_worksheet_is_in_the_design,
        nm_02_customers_and_their_addresses,
        nm_02_a_customers_orders_come_newest_first_and_by_date,
        nm_02_an_order_comes_with_its_lines,
        nm_02_an_order_is_cancelled_until_it_is_shipped_and_then_deleted_with_its_lines,
        nm_02_products_are_found_by_category_and_by_the_beginning_of_their_name,
        nm_03_orders_of_a_status_come_by_date_and_follow_its_changes,
        nm_03_orders_with_a_product_are_found,
        nm_03_only_flagged_orders_are_in_the_flagged_index,
        nm_04_orders_written_to_ten_shards_are_read_as_one_list,
        nm_08_documents_embed_what_belongs_to_them,
        nm_08_a_document_of_version_1_becomes_one_of_version_2_once,
        nm_15_a_shorter_name_comes_before_a_longer_one_that_begins_with_it,
        nm_15_an_order_is_found_by_its_own_id,
    }
    shop_documents: shop_documents on "shop-documents" {
        nm_08_a_customer_embeds_the_addresses_and_the_summary_of_the_orders,
        nm_08_documents_of_both_versions_are_served_and_one_becomes_the_other_once,
        nm_08_an_order_embeds_its_lines_and_keeps_its_address,
        nm_08_a_product_embeds_its_specifications,
    }
    sensors: sensors on "sensors" {
        nm_06_readings_of_a_sensor_and_day_come_in_order,
        nm_06_all_readings_of_a_sensor_are_merged_over_its_days,
        nm_07_a_post_is_in_all_tables_at_once,
        nm_07_a_post_that_is_refused_is_in_no_table,
    }
    social: social on "social" {
        sm_01_a_user_is_found_by_id_name_and_address,
        sm_01_names_and_addresses_are_unique_through_changes_and_deletion,
        sm_02_a_users_posts_come_newest_first,
        sm_02_a_deleted_posts_likes_and_comments_are_deleted,
        sm_02_an_author_deletes_a_post_and_it_leaves_the_feeds,
        sm_03_the_global_feed_has_all_posts_newest_first,
        sm_04_a_user_likes_a_post_once,
        sm_05_comments_come_in_order_and_their_author_changes_them,
        sm_06_a_user_follows_another_once,
        sm_07_the_home_feed_merges_posts_of_those_followed_newest_first,
        sm_07_posts_of_one_instant_are_each_in_the_home_feed_once,
        sm_08_the_post_page_is_read_at_once,
        sm_09_the_profile_page_is_read_at_once,
        sm_10_counts_of_likes_comments_posts_and_followers_are_kept_true,
        sm_11_a_cursor_goes_on_exactly_where_its_page_ended_whatever_is_written_meanwhile,
        sm_11_a_cursor_is_good_for_its_own_list_only,
        sm_12_a_user_likes_a_post_once_before_and_after_it_is_viral,
        sm_12_a_viral_posts_likes_and_comments_are_spread_and_read_as_one,
        sm_14_texts_are_bounded_and_pictures_are_addresses,
        sm_15_notifications_go_after_30_days,
        sm_15_likes_comments_and_follows_notify_once,
    }
    jobs: jobs on "jobs" {
        the_most_urgent_job_is_taken_first_and_the_oldest_of_those,
        each_worker_gets_another_job_and_finishes_only_its_own,
        a_job_whose_worker_is_lost_is_taken_over,
        a_failed_job_is_retried_as_often_as_it_may_and_then_buried,
        a_job_whose_last_worker_is_lost_is_buried_and_deleted,
        a_scheduled_job_is_ready_at_its_time,
    }
    metering: metering on "metering" {
        usage_adds_up_by_minute_and_day,
        an_event_counts_once,
        minutes_are_kept_for_two_weeks_and_days_for_years,
        usage_of_a_closed_day_is_refused_and_the_day_never_goes_back,
        the_days_of_a_month_are_billed_once,
        an_invoice_has_its_lines_with_the_prices_of_its_time,
        invoices_come_newest_first_and_unpaid_ones_by_month,
    }
    chat: chat on "chat" {
        messages_come_newest_first_over_the_days,
        only_members_send_and_only_authors_change,
        replies_are_under_their_message_and_counted,
        unread_messages_are_those_of_others_since_the_last_that_was_read,
        a_long_list_of_unread_messages_is_counted_to_99,
        a_user_has_channels_and_changes_what_is_the_users,
    }
}
