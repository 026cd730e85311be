internal import Foundation

extension StoreTransaction {
    func deferQuarantine(_ change: DeferredChange, _ failure: MigrationReport.RecordFailure, _ typeName: String?)
        throws(SQLiteError)
    {
        if !hasQuarantine {
            try connection.execute("CREATE TEMP TABLE \(QuarantineTable.deferredTable)")
            hasQuarantine = true
        }
        let statement = try statements[.deferQuarantine]
        try statement.bind(Int64(change.stage), at: 1)
        try statement.bind(change.id, at: 2)
        try statement.bind(text: typeName, at: 3)
        try statement.bind(failure, from: 4)
        try statement.run()
    }

    /// Moves the records of a stage to quarantine, as they are now or as they were when the block started.
    func quarantine(_ stage: Int) throws(SQLiteError) {
        let search = try connection.prepare("SELECT EXISTS(SELECT 1 FROM molt_failed WHERE stage = ?1)")
        try search.bind(Int64(stage), at: 1)
        guard try search.first({ $0.integer(0) != 0 }) == true else { return }
        try allTypes().checkThatNoneIsLost(connection)
        try connection.execute(QuarantineTable.creation)
        let moving = try connection.prepare(QuarantineTable.moving(hasOriginals: hasOriginals))
        try moving.bind(Int64(stage), at: 1)
        try moving.bind(Date().timeIntervalSince1970, at: 2)
        try moving.run()
        let count = connection.changes
        let deletion = try connection.prepare(
            "DELETE FROM molt_record WHERE id IN (SELECT id FROM molt_failed WHERE stage = ?1)"
        )
        try deletion.bind(Int64(stage), at: 1)
        try deletion.run()
        // Every deleted record must be in quarantine.
        guard connection.changes == count else { throw .lostRows }
        let forgetting = try connection.prepare("DELETE FROM molt_failed WHERE stage = ?1")
        try forgetting.bind(Int64(stage), at: 1)
        try forgetting.run()
    }
}
