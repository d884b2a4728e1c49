//! The operator, who runs commands on the server's machine.

/// Proof that a caller is the operator.
#[derive(Clone, Copy, Debug)]
pub struct Operator(());

impl Operator {
    /// Access to the data directory or to the database's password makes someone the operator.
    pub fn of_this_machine() -> Self {
        Self(())
    }
}
