//! Completions: the values that a client offers while a person types an argument.

use std::cmp::Reverse;

use iac_core::foreign;
use rmcp::model::{CompleteRequestParams, CompletionInfo, ErrorData, Reference};

use super::{prompts, resources};
use crate::pipeline::Pipeline;
use crate::plugins::engine::manifest::ArgumentKind;
use crate::router::Router;

/// Returns the values that contain what was typed. Those that begin with it come first.
///
/// # Errors
/// There is no such prompt, template or argument.
pub(super) async fn complete(
    router: &Router,
    request: &CompleteRequestParams,
) -> Result<CompletionInfo, ErrorData> {
    let pipeline = &router.pipeline;
    let argument = request.argument.name.as_str();
    let earlier = |name| request.context.as_ref()?.get_argument(name).map(String::as_str);
    let offered = match &request.r#ref {
        Reference::Prompt(prompt) => {
            router.plugins.look().await;
            let prompt = prompts::find(&router.plugins, &prompt.name)?;
            let argument = prompts::argument(&prompt, argument)?;
            match argument.kind {
                ArgumentKind::Text | ArgumentKind::Choice | ArgumentKind::Number => argument.values.clone(),
                ArgumentKind::App => apps(pipeline, |app| app.name.clone()).await,
                ArgumentKind::Class => classes(pipeline, earlier("app")).await,
                ArgumentKind::Property => properties(pipeline, earlier("app"), earlier("class")).await,
            }
        }
        Reference::Resource(template) => match (template.uri.as_str(), argument) {
            (resources::DICTIONARY | resources::CLASS, "bundleId") => {
                apps(pipeline, |app| app.bundle_id.to_string()).await
            }
            (resources::CLASS, "class") => classes(pipeline, earlier("bundleId")).await,
            (resources::GUIDE, "guide") => {
                resources::GUIDE_PAGES.iter().map(|guide| guide.name.to_owned()).collect()
            }
            (uri, argument) => {
                let what = format!("no template `{}` with `{argument}`", foreign::clean(uri, 80));
                return Err(ErrorData::invalid_params(what, None));
            }
        },
        _ => return Err(ErrorData::invalid_params("`ref`: expected ref/prompt or ref/resource", None)),
    };
    Ok(matching(offered, &request.argument.value))
}

/// The names of all apps; empty if the apps cannot be listed.
async fn apps(pipeline: &Pipeline, name: impl Fn(&iac_core::app::App) -> String) -> Vec<String> {
    pipeline.every_app().await.map(|apps| apps.0.iter().map(name).collect()).unwrap_or_default()
}

/// The classes of an app; empty until an app is chosen.
async fn classes(pipeline: &Pipeline, app: Option<&str>) -> Vec<String> {
    let Some(definition) = definition(pipeline, app).await else { return Vec::new() };
    let classes = definition.dictionary.classes.values().filter(|class| !class.hidden);
    classes.map(|class| class.name.clone()).collect()
}

/// The properties of a class; empty until a class is chosen.
async fn properties(pipeline: &Pipeline, app: Option<&str>, class: Option<&str>) -> Vec<String> {
    let Some(definition) = definition(pipeline, app).await else { return Vec::new() };
    let Some(class) = class.and_then(|class| definition.dictionary.class(class)) else { return Vec::new() };
    let properties = definition.dictionary.properties(&class.name).into_iter();
    properties.filter(|property| !property.hidden).map(|property| property.name.clone()).collect()
}

async fn definition(pipeline: &Pipeline, app: Option<&str>) -> Option<iac_apps::Definition> {
    pipeline.definition(app?).await.ok()
}

fn matching(offered: Vec<String>, typed: &str) -> CompletionInfo {
    let typed = typed.trim().to_lowercase();
    let place = |value: &str| value.to_lowercase().find(&typed);
    let mut found: Vec<String> = offered.into_iter().filter(|value| place(value).is_some()).collect();
    // The sort is stable, so the suggestions otherwise keep their order.
    found.sort_by_key(|value| Reverse(place(value) == Some(0)));
    found.dedup();
    let total = u32::try_from(found.len()).ok();
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    found.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(found, total, has_more).expect("the list was cut to what is allowed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_the_word_comes_first() {
        let offered = ["Contacts", "System Events", "TextEdit", "Activity"].map(str::to_owned).to_vec();
        assert_eq!(
            matching(offered.clone(), "T").values,
            ["TextEdit", "Contacts", "System Events", "Activity"]
        );
        assert_eq!(matching(offered, " ext").values, ["TextEdit"]);
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let found = matching((0..250).map(|number| format!("x{number}")).collect(), "x");
        assert_eq!((found.values.len(), found.total, found.has_more), (100, Some(250), Some(true)));
    }
}
