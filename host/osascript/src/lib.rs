//! Runs scripts with `osascript`, within time and size limits, and leaves no process behind.
//!
//! Each app has a lane, in which scripts run one after another. A client waits outside the lane and gets its answer
//! in time, whatever happens inside. `docs/execution.md` describes the whole path of a script.

mod settings;
mod spawn;
mod raised;
mod lines;
mod answer;
mod memory;
mod turns;
mod standing;
mod job;
mod worker;
mod unfit;
mod slots;
mod record;
mod queue;
mod one_shot;
mod lane;
mod report;
mod supervisor;
mod dialog;
mod guard;

pub use dialog::{Closed, Dialog};
pub use guard::guard;
pub use memory::of_group as memory_of_group;
pub use record::{Counts, Times, WorkerReport};
pub use report::{AppReport, Report};
pub use settings::{Kind, Settings};
pub use spawn::Liveness;
pub use spawn::Process as Guarded;
pub use spawn::own_server;
pub use supervisor::{Place, Supervisor};
pub use turns::Holder;
