//! An `osascript` stand-in: QuickJS with JXA's object model over a simulated Mac.
#![forbid(unsafe_code)]
