//! Replaces functions that the engine leaves to the system or simplifies too much: local times, formats of dates and
//! numbers, the names of time zones, the order of strings.

use super::eventkit;
use jiff::Timestamp;
use rquickjs::function::Func;
use rquickjs::prelude::List;
use rquickjs::{Ctx, Function, Object};

const LOCALE: &str = include_str!("locale.js");
const DATES: &str = include_str!("dates.js");

/// The name of UTC, which needs no time zone file.
const UTC: &str = "UTC";

/// Installs these functions in a context.
pub(super) fn install(ctx: &Ctx<'_>) -> rquickjs::Result<()> {
    ctx.eval::<Function<'_>, _>(DATES)?.call::<_, ()>(())?;
    let native = Object::new(ctx.clone())?;
    native.set("localZone", Func::from(local_zone))?;
    native.set("zone", Func::from(|name: String, at: f64| zone(&name, at).map(List)))?;
    ctx.eval::<Function<'_>, _>(LOCALE)?.call((native,))
}

/// Returns the name of the process's time zone: from `TZ`, or from the target of `/etc/localtime`.
fn local_zone() -> String {
    let by_variable = std::env::var("TZ").ok().map(|name| name.trim_start_matches(':').to_owned());
    let by_link = || {
        let target = std::fs::read_link("/etc/localtime").ok()?;
        target.to_str()?.split_once("zoneinfo/").map(|(_, name)| name.to_owned())
    };
    let name = by_variable.filter(|name| !name.is_empty()).or_else(by_link);
    name.filter(|name| eventkit::named(name).is_some()).unwrap_or_else(|| UTC.to_owned())
}

/// Returns a zone's offset at a moment in minutes, its abbreviation then, and whether daylight saving time applies.
fn zone(name: &str, milliseconds: f64) -> Option<(f64, String, bool)> {
    #[expect(clippy::cast_possible_truncation, reason = "the engine's dates are whole milliseconds")]
    let at = Timestamp::from_millisecond(milliseconds as i64).unwrap_or(Timestamp::UNIX_EPOCH);
    let zone = match name {
        UTC | "Etc/UTC" | "GMT" => return Some((0.0, name.replace("Etc/", ""), false)),
        _ => eventkit::named(name)?,
    };
    let info = zone.to_offset_info(at);
    Some((f64::from(info.offset().seconds()) / 60.0, info.abbreviation().to_owned(), info.dst().is_dst()))
}
