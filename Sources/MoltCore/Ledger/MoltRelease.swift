/// The release of Molt that this code is.
package enum MoltRelease {
    /// The version, as it is written into each ledger row.
    package static let version = "0.1.0"
}
