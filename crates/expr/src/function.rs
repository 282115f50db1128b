//! The functions of the expression language.

/// Every function, of conditions and of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

/// Where a function may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// In a condition, as a condition.
    Condition,
    /// In a condition, as a value.
    ConditionValue,
    /// In an update, as a value.
    UpdateValue,
}

impl Function {
    /// The function with this name. Unlike keywords, functions have one spelling.
    pub(crate) fn named(name: &str) -> Option<Function> {
        Some(match name {
            "attribute_exists" => Function::AttributeExists,
            "attribute_not_exists" => Function::AttributeNotExists,
            "attribute_type" => Function::AttributeType,
            "begins_with" => Function::BeginsWith,
            "contains" => Function::Contains,
            "size" => Function::Size,
            "if_not_exists" => Function::IfNotExists,
            "list_append" => Function::ListAppend,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
            Function::IfNotExists => "if_not_exists",
            Function::ListAppend => "list_append",
        }
    }

    pub(crate) fn role(self) -> Role {
        match self {
            Function::Size => Role::ConditionValue,
            Function::IfNotExists | Function::ListAppend => Role::UpdateValue,
            _ => Role::Condition,
        }
    }
}
