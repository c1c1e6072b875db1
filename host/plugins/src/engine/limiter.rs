//! Limits the memory of a guest, summed over all of its memories and tables.

use wasmtime::ResourceLimiter;

use crate::failure::{Bound, Failure};
use crate::limits::{Limits, MOST_PARTS};

/// How often memory is refused before the guest is stopped. A guest whose allocation fails can still report where it
/// was, as the Python interpreter does with a `MemoryError`. A guest that keeps asking is stopped.
const PATIENCE: u32 = 100;

/// Reporting the failure takes memory too, so after the first refusal the limit rises by this fraction (1/64) of
/// itself.
const RESERVE: usize = 64;

/// Counts memory and tables. It records which limit was exceeded, because the engine only reports that growing
/// failed.
pub(super) struct Limiter {
    memory: usize,
    most_memory: usize,
    tables: usize,
    most_tables: usize,
    hit: Option<Failure>,
    /// How many times memory was refused.
    refused: u32,
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
            refused: 0,
            starved: None,
        }
    }

    /// Returns the limit that was exceeded.
    pub(super) fn hit(&mut self) -> Option<Failure> {
        self.hit.take()
    }

    /// Returns why the system refused memory that was within the limits.
    pub(super) fn starved(&mut self) -> Option<String> {
        self.starved.take()
    }

    /// Returns the size of all memories in bytes. Memories never shrink.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    fn refuse(&mut self, bound: Bound, limit: usize) -> wasmtime::Result<bool> {
        let failure = Failure::Stopped { bound, limit: bound.at(limit), said: None };
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
        let reserve = if self.refused == 0 { 0 } else { self.most_memory / RESERVE };
        if total > self.most_memory + reserve {
            self.refused += 1;
            let refused = self.refuse(Bound::Memory, self.most_memory);
            return if self.refused <= PATIENCE { Ok(false) } else { refused };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_without_memory_can_say_so_and_is_stopped_if_it_goes_on() {
        const MIB: usize = 1024 * 1024;
        let mut limiter = Limiter::new(&Limits::standard());
        let mut grows = |from: usize, to: usize| limiter.memory_growing(from, to, None).ok();
        assert_eq!(grows(0, 64 * MIB), Some(true));
        // The first refusal is at the limit itself. The reserve opens only afterwards.
        assert_eq!(grows(64 * MIB, 64 * MIB + 1), Some(false));
        assert_eq!(grows(64 * MIB, 65 * MIB), Some(true));
        for _ in 1..PATIENCE {
            assert_eq!(grows(65 * MIB, 65 * MIB + 1), Some(false));
        }
        assert_eq!(grows(65 * MIB, 65 * MIB + 1), None);
        assert!(matches!(limiter.hit(), Some(Failure::Stopped { bound: Bound::Memory, .. })));
    }
}
