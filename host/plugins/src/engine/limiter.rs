//! How much a guest can hold, counted over all of its memories and tables.

use wasmtime::ResourceLimiter;

use crate::failure::{Bound, Failure};
use crate::limits::{Limits, MOST_PARTS};

/// Counts memory and tables; what goes over a bound is noted here, since the engine only says that growing failed.
pub(super) struct Limiter {
    memory: usize,
    most_memory: usize,
    tables: usize,
    most_tables: usize,
    hit: Option<Failure>,
    starved: Option<String>,
}

impl Limiter {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            memory: 0,
            most_memory: limits.memory,
            tables: 0,
            most_tables: limits.table_elements,
            hit: None,
            starved: None,
        }
    }

    /// Returns the bound that was passed.
    pub(super) fn hit(&mut self) -> Option<Failure> {
        self.hit.take()
    }

    /// Returns why the system did not give what the bounds allow.
    pub(super) fn starved(&mut self) -> Option<String> {
        self.starved.take()
    }

    /// Returns the bytes of all memories; they never shrink.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    fn refuse(&mut self, bound: Bound, limit: usize) -> wasmtime::Result<bool> {
        let failure = Failure::Stopped { bound, limit: bound.at(limit) };
        let error = wasmtime::Error::msg(failure.to_string());
        self.hit = Some(failure);
        Err(error)
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total > self.most_memory {
            return self.refuse(Bound::Memory, self.most_memory);
        }
        self.memory = total;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.starved = Some(error.root_cause().to_string());
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.tables.saturating_add(desired.saturating_sub(current));
        if total > self.most_tables {
            return self.refuse(Bound::Tables, self.most_tables);
        }
        self.tables = total;
        Ok(true)
    }

    fn instances(&self) -> usize {
        MOST_PARTS
    }

    fn tables(&self) -> usize {
        MOST_PARTS
    }

    fn memories(&self) -> usize {
        MOST_PARTS
    }
}
