#!/usr/bin/env bash
# What one does with the AWS CLI. Started by ../run, which has set the environment and made sure of `aws`.
set -euo pipefail

table=cli-orders
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export AWS_MAX_ATTEMPTS=1

# same WHAT EXPECTED ACTUAL
same() {
    if [ "$2" != "$3" ]; then
        printf '%s: expected %q, found %q\n' "$1" "$2" "$3"
        return 1
    fi
}

# json EXPRESSION: evaluates Python about the JSON on the standard input, which is `it`.
json() { python3 -c "import json, sys; it = json.load(sys.stdin); print($1)"; }

# refused PATTERN ARGUMENT…: the command must fail with a message that has the text.
refused() {
    local text=$1 said
    shift
    if said=$(aws "$@" 2>&1); then
        echo "not refused: aws $*"
        return 1
    fi
    if [[ $said != *"$text"* ]]; then
        printf 'refused with another message than %q: %s\n' "$text" "$said"
        return 1
    fi
}

a_table_with_an_index_is_created() {
    aws dynamodb create-table --table-name $table --billing-mode PAY_PER_REQUEST \
        --attribute-definitions AttributeName=customer,AttributeType=S AttributeName=number,AttributeType=N \
        AttributeName=status,AttributeType=S AttributeName=day,AttributeType=S \
        --key-schema AttributeName=customer,KeyType=HASH AttributeName=number,KeyType=RANGE \
        --global-secondary-indexes 'IndexName=by_status,KeySchema=[{AttributeName=status,KeyType=HASH},{AttributeName=day,KeyType=RANGE}],Projection={ProjectionType=ALL}' \
        >/dev/null
    aws dynamodb wait table-exists --table-name $table
    same status '["ACTIVE", "by_status", "ACTIVE"]' "$(aws dynamodb describe-table --table-name $table --output json \
        --query 'Table.[TableStatus, GlobalSecondaryIndexes[0].IndexName, GlobalSecondaryIndexes[0].IndexStatus]' |
        json 'json.dumps(it)')"
}

items_are_written_and_read() {
    # Two days for all of them: most index keys are equal, which is where paging goes wrong.
    python3 -c '
import json
put = lambda n: {"PutRequest": {"Item": {"customer": {"S": f"C{n % 3}"}, "number": {"N": str(n)},
    "status": {"S": "open"}, "day": {"S": f"2026-03-1{n % 2}"}}}}
print(json.dumps({"'$table'": [put(n) for n in range(20)]}))' >"$scratch/batch.json"
    same unprocessed '{"UnprocessedItems": {}}' "$(aws dynamodb batch-write-item --output json \
        --request-items "file://$scratch/batch.json" | json 'json.dumps(it)')"
    aws dynamodb put-item --table-name $table --item '{"customer": {"S": "Thịt gà"}, "number": {"N": "1"}}'
    same item '{"customer": {"S": "Thịt gà"}, "number": {"N": "1"}}' "$(aws dynamodb get-item \
        --table-name $table --key '{"customer": {"S": "Thịt gà"}, "number": {"N": "1"}}' --consistent-read --output json |
        json 'json.dumps(it["Item"], ensure_ascii=False, sort_keys=True)')"
    same price 7.5 "$(aws dynamodb update-item --table-name $table \
        --key '{"customer": {"S": "Thịt gà"}, "number": {"N": "1"}}' --update-expression 'SET price = :p' \
        --expression-attribute-values '{":p": {"N": "7.50"}}' --return-values UPDATED_NEW \
        --query Attributes.price.N --output text)"
}

an_index_pages_without_loss_or_repeat() {
    local query=(dynamodb query --table-name $table --index-name by_status --key-condition-expression '#s = :open'
        --expression-attribute-names '{"#s": "status"}' --expression-attribute-values '{":open": {"S": "open"}}'
        --output json)
    # The CLI itself asks for page after page and puts them together.
    same 'all pages' "$(seq -s ' ' 0 19)" "$(aws "${query[@]}" --page-size 6 |
        json '*sorted(int(item["number"]["N"]) for item in it["Items"])')"
    # Its own token carries the last key over to the next command.
    aws "${query[@]}" --page-size 6 --max-items 11 >"$scratch/first"
    aws "${query[@]}" --starting-token "$(json 'it["NextToken"]' <"$scratch/first")" >"$scratch/second"
    same 'two commands' "$(seq -s ' ' 0 19)" "$(cat "$scratch/first" "$scratch/second" | python3 -c '
import json, sys
text, decoder, found = sys.stdin.read().strip(), json.JSONDecoder(), []
while text:
    page, end = decoder.raw_decode(text)
    found += [int(item["number"]["N"]) for item in page["Items"]]
    text = text[end:].strip()
print(*sorted(found))')"
    same 'last key' '["customer", "day", "number", "status"]' "$(aws "${query[@]}" --no-paginate --limit 6 |
        json 'json.dumps(sorted(it["LastEvaluatedKey"]))')"
}

a_transaction_is_done_as_a_whole() {
    aws dynamodb transact-write-items --client-request-token cli-transaction --transact-items '[
        {"Put": {"TableName": "'$table'", "Item": {"customer": {"S": "transaction"}, "number": {"N": "1"}}}},
        {"Update": {"TableName": "'$table'", "Key": {"customer": {"S": "transaction"}, "number": {"N": "2"}},
            "UpdateExpression": "ADD visits :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]'
    same items '[["1", null], ["2", "1"]]' "$(aws dynamodb transact-get-items --output json --transact-items '[
        {"Get": {"TableName": "'$table'", "Key": {"customer": {"S": "transaction"}, "number": {"N": "1"}}}},
        {"Get": {"TableName": "'$table'", "Key": {"customer": {"S": "transaction"}, "number": {"N": "2"}}}}]' \
        --query 'Responses[].[Item.number.N, Item.visits.N]' | json 'json.dumps(it)')"
}

a_failed_condition_is_told() {
    refused '(ConditionalCheckFailedException) when calling the PutItem operation: The conditional request failed' \
        dynamodb put-item --table-name $table --item '{"customer": {"S": "C0"}, "number": {"N": "0"}}' \
        --condition-expression 'attribute_not_exists(customer)' --return-values-on-condition-check-failure ALL_OLD
}

a_cancelled_transaction_gives_its_reasons_in_order() {
    refused '(TransactionCanceledException) when calling the TransactWriteItems operation: Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]' \
        dynamodb transact-write-items --transact-items '[
        {"Put": {"TableName": "'$table'", "Item": {"customer": {"S": "cancelled"}, "number": {"N": "1"}}}},
        {"ConditionCheck": {"TableName": "'$table'", "Key": {"customer": {"S": "C1"}, "number": {"N": "1"}},
            "ConditionExpression": "attribute_not_exists(customer)"}}]'
    same 'nothing was written' 0 "$(aws dynamodb query --table-name $table --key-condition-expression 'customer = :c' \
        --expression-attribute-values '{":c": {"S": "cancelled"}}' --select COUNT --query Count --output json)"
}

an_invalid_request_says_what_is_wrong() {
    refused '(ValidationException) when calling the GetItem operation: The provided key element does not match the schema' \
        dynamodb get-item --table-name $table --key '{"customer": {"S": "C0"}}'
}

a_missing_table_is_named_as_such() {
    refused '(ResourceNotFoundException) when calling the Scan operation: Requested resource not found' \
        dynamodb scan --table-name cli-nowhere
}

the_page_about_streams_has_an_example_that_runs() {
    local page=../../../docs/streams.md
    # What the README has set up before.
    export AWS_ENDPOINT_URL_DYNAMODB_STREAMS=$AWS_ENDPOINT_URL_DYNAMODB
    aws dynamodb create-table --table-name orders --billing-mode PAY_PER_REQUEST \
        --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH >/dev/null
    aws dynamodb wait table-exists --table-name orders
    sed -n '/^```sh$/,/^```$/{/^```/!p}' $page | sed "s|http://127.0.0.1:8000|$AWS_ENDPOINT_URL_DYNAMODB|g" >"$scratch/example"
    same records "$(sed -n '/^```text$/,/^```$/{/^```/!p}' $page)" \
        "$(bash -euo pipefail "$scratch/example" | grep -E '^(INSERT|MODIFY|REMOVE)')"
}

keys_decide_who_may_do_what() {
    export AWS_ENDPOINT_URL_DYNAMODB=$GUARDED_URL
    export AWS_ACCESS_KEY_ID=AKIDWRITER AWS_SECRET_ACCESS_KEY=writer/secret+
    aws dynamodb create-table --table-name cli-guarded --billing-mode PAY_PER_REQUEST \
        --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH >/dev/null
    aws dynamodb wait table-exists --table-name cli-guarded
    AWS_SECRET_ACCESS_KEY=reader/secret+ refused '(InvalidSignatureException)' dynamodb list-tables
    export AWS_ACCESS_KEY_ID=AKIDREADER AWS_SECRET_ACCESS_KEY=reader/secret+
    same count 0 "$(aws dynamodb scan --table-name cli-guarded --query Count --output json)"
    refused '(AccessDeniedException)' dynamodb put-item --table-name cli-guarded --item '{"id": {"S": "no"}}'
}

for name in a_table_with_an_index_is_created items_are_written_and_read an_index_pages_without_loss_or_repeat \
    a_transaction_is_done_as_a_whole a_failed_condition_is_told a_cancelled_transaction_gives_its_reasons_in_order \
    an_invalid_request_says_what_is_wrong a_missing_table_is_named_as_such \
    the_page_about_streams_has_an_example_that_runs keys_decide_who_may_do_what; do
    # In the background: `set -e` would not hold in a command whose failure is looked at.
    $name &
    if wait $!; then echo "ok - $name"; else echo "not ok - $name"; fi
done
