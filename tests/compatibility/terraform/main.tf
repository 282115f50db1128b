# A table with everything that the provider reads back: indexes, TTL, recovery, a stream, tags and auto scaling's part
# of DynamoDB, the capacity that `ignore_changes` leaves to it.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "endpoint" { type = string }
variable "second_index" {
  type    = bool
  default = true
}

provider "aws" {
  region                      = "us-east-1"
  access_key                  = "any"
  secret_key                  = "any"
  skip_credentials_validation = true
  skip_requesting_account_id  = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  endpoints { dynamodb = var.endpoint }
}

resource "aws_dynamodb_table" "full" {
  name             = "terraform-full"
  billing_mode     = "PROVISIONED"
  read_capacity    = 5
  write_capacity   = 5
  hash_key         = "pk"
  range_key        = "sk"
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"
  table_class      = "STANDARD_INFREQUENT_ACCESS"

  attribute {
    name = "pk"
    type = "S"
  }
  attribute {
    name = "sk"
    type = "S"
  }
  attribute {
    name = "score"
    type = "N"
  }

  global_secondary_index {
    name               = "by-score"
    hash_key           = "pk"
    range_key          = "score"
    projection_type    = "INCLUDE"
    non_key_attributes = ["title"]
    read_capacity      = 5
    write_capacity     = 5
  }
  dynamic "global_secondary_index" {
    for_each = var.second_index ? [1] : []
    content {
      name            = "by-sort"
      hash_key        = "sk"
      projection_type = "ALL"
      read_capacity   = 5
      write_capacity  = 5
    }
  }
  local_secondary_index {
    name            = "local-score"
    range_key       = "score"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "expires"
    enabled        = true
  }
  point_in_time_recovery { enabled = true }
  server_side_encryption { enabled = true }
  tags = { Team = "storage", Environment = "test" }

  lifecycle { ignore_changes = [read_capacity, write_capacity] }
}

resource "aws_dynamodb_table" "on_demand" {
  name         = "terraform-on-demand"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  on_demand_throughput {
    max_read_request_units  = 100
    max_write_request_units = 100
  }
  attribute {
    name = "id"
    type = "S"
  }
  # `aws_dynamodb_tag` below adds one.
  lifecycle { ignore_changes = [tags, tags_all] }
}

resource "aws_dynamodb_table_item" "item" {
  table_name = aws_dynamodb_table.on_demand.name
  hash_key   = aws_dynamodb_table.on_demand.hash_key
  item       = jsonencode({ id = { S = "one" }, n = { N = "1" } })
}

resource "aws_dynamodb_tag" "tag" {
  resource_arn = aws_dynamodb_table.on_demand.arn
  key          = "Owner"
  value        = "somebody"
}
