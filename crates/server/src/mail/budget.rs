//! What one rendering may cost. Bytes are charged where they are read or written, since an instruction of a template can read
//! a long text; a rendering ends when its budget is spent or its time is over.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use minijinja::value::{Object, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};
use rustix::time::{ClockId, clock_gettime};

/// Bytes that a rendering may read and write. The longest built-in mail with the longest texts needs about a third.
pub(super) const BUDGET: usize = 4 << 20;

/// The name of the budget among the values of a template, which no template can spell.
pub(super) const NAME: &str = "\0budget";

/// An entry of a list is charged like a text of this length.
const ENTRY: usize = 32;

/// The budget of one rendering, which stays on one thread. Only the pool makes one, so that nothing is rendered elsewhere.
pub struct Budget {
    left: AtomicUsize,
    /// In processor time of the thread: a busy machine ends nothing.
    deadline: Duration,
}

impl Budget {
    /// A budget for this thread, with a limit of processor time.
    pub(super) fn new(time: Duration) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(BUDGET), deadline: processor_time() + time })
    }

    /// The budget of the rendering that a filter or function belongs to.
    pub(super) fn of(state: &State<'_, '_>) -> Result<Arc<Self>, Error> {
        let value = state.lookup(NAME).unwrap_or_default();
        value.downcast_object::<Self>().ok_or_else(|| too_dear("the rendering has no budget"))
    }

    pub(super) fn value(self: &Arc<Self>) -> Value {
        Value::from_dyn_object(Arc::clone(self))
    }

    /// Charges bytes. Fails if they are more than is left, or the time is over.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), Error> {
        if !self.spend(bytes) {
            let rule = "rendering costs too much: use fewer filters, loops, includes and texts, and shorter ones";
            return Err(too_dear(rule));
        }
        if self.is_over() { Err(too_dear("rendering took too long")) } else { Ok(()) }
    }

    /// Charges bytes where nothing can fail: if they are more than is left, the next charge fails. False if they are.
    pub(super) fn spend(&self, bytes: usize) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(bytes), Ordering::Relaxed);
        bytes < left
    }

    /// Begins anew with what may be spent, until the same deadline.
    pub(super) fn refill(&self) {
        self.left.store(BUDGET, Ordering::Relaxed);
    }

    /// True if the deadline is past.
    pub(super) fn is_over(&self) -> bool {
        processor_time() >= self.deadline
    }
}

/// The processor time that this thread has used.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// The bytes that reading a value costs.
pub(super) fn size(value: &Value) -> usize {
    match value.kind() {
        ValueKind::String => value.as_str().map_or(0, str::len),
        _ => value.len().map_or(1, |entries| entries.saturating_mul(ENTRY)),
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("budget")
    }
}

impl Object for Budget {}

fn too_dear(problem: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, problem)
}

#[cfg(test)]
impl Budget {
    pub(super) fn of_test() -> Arc<Self> {
        Self::new(Duration::from_secs(3_600))
    }

    pub(super) fn spent(&self) -> usize {
        BUDGET - self.left.load(Ordering::Relaxed)
    }
}
