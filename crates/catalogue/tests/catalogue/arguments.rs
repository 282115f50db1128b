//! JSON in the words of a test: arguments for patterns, and a look into answers.

use singlet_design::Json;

/// Values that can be given to a pattern.
pub(crate) trait IntoJson {
    /// As JSON.
    fn into_json(self) -> Json;
}

impl IntoJson for Json {
    fn into_json(self) -> Json {
        self
    }
}

impl IntoJson for &Json {
    fn into_json(self) -> Json {
        self.clone()
    }
}

impl IntoJson for &str {
    fn into_json(self) -> Json {
        self.into()
    }
}

impl IntoJson for &String {
    fn into_json(self) -> Json {
        self.as_str().into()
    }
}

impl IntoJson for String {
    fn into_json(self) -> Json {
        self.into()
    }
}

impl IntoJson for bool {
    fn into_json(self) -> Json {
        self.into()
    }
}

impl IntoJson for i64 {
    fn into_json(self) -> Json {
        self.into()
    }
}

impl IntoJson for f64 {
    fn into_json(self) -> Json {
        self.to_string().parse().unwrap()
    }
}

impl<V: IntoJson> IntoJson for Vec<V> {
    fn into_json(self) -> Json {
        Json::List(self.into_iter().map(IntoJson::into_json).collect())
    }
}

/// Arguments of a pattern: `args!(user_id = &user, title = "Phở")`.
macro_rules! args {
    ($($name:tt = $value:expr),* $(,)?) => {
        singlet_run::Arguments::from([
            $((stringify!($name).to_owned(), $crate::arguments::IntoJson::into_json($value))),*
        ])
    };
}

/// An object, written like arguments. Its members are in the order of their names, as stored objects have them.
macro_rules! object {
    ($($name:tt = $value:expr),* $(,)?) => {
        singlet_design::Json::Object($crate::arguments::args!($($name = $value),*).into_iter().collect())
    };
}

pub(crate) use {args, object};

/// A look into an answer; what isn't there fails the test.
pub(crate) trait Look {
    /// The member at a path such as `post.title`.
    fn at(&self, path: &str) -> &Json;
    /// The text at a path.
    fn text(&self, path: &str) -> String;
    /// Whether there is such a member.
    fn has(&self, name: &str) -> bool;
    /// The items of a list answer.
    fn items(&self) -> &[Json];
}

impl Look for Json {
    #[track_caller]
    fn at(&self, path: &str) -> &Json {
        let mut found = self;
        for name in path.split('.') {
            found = found.get(name).unwrap_or_else(|| panic!("no {path} in {self}"));
        }
        found
    }

    #[track_caller]
    fn text(&self, path: &str) -> String {
        let found = self.at(path);
        found.as_text().unwrap_or_else(|| panic!("{path} is {found}")).to_owned()
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    #[track_caller]
    fn items(&self) -> &[Json] {
        self.at("items").as_list().unwrap_or_else(|| panic!("no list: {self}"))
    }
}

/// One text of each item: what a reader would see going down the list.
#[track_caller]
pub(crate) fn column(items: &[Json], path: &str) -> Vec<String> {
    items.iter().map(|item| item.text(path)).collect()
}
