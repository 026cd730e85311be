/// A process of the tests of documents in PostgreSQL; without the trait, it does nothing.
@main struct DocumentWorker {
    static func main() throws {
        #if PostgreSQLTests
            guard let work = Work(CommandLine.arguments.dropFirst().joined(separator: " ")) else {
                throw PostgreSQLConnection.Failure(message: "There is no such work.")
            }
            try work.run()
        #endif
    }
}
