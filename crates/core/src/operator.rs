//! The operator: whoever runs commands on the server's machine.

/// Someone with the run of the machine: the command line.
#[derive(Clone, Copy, Debug)]
pub struct Operator(());

impl Operator {
    /// Whoever can read the data folder or the database's password is the operator.
    pub fn of_this_machine() -> Self {
        Self(())
    }
}
