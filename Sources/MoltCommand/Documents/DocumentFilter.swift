import Foundation
package import Molt

/// Upgrades the documents of lines: reads them from one file, and writes them to another in the same order.
///
/// Several threads do that. Each reads a block of lines, upgrades it, waits until the blocks before it are written, and
/// writes it. So no thread is far ahead, and memory does not grow with the input.
package final class DocumentFilter: Sendable {
    /// The descriptors of the files.
    package struct Files: Sendable {
        let input: Int32
        let output: Int32
        /// nil if the first line that cannot be upgraded ends the run.
        let problems: Int32?

        package init(input: Int32, output: Int32, problems: Int32? = nil) {
            self.input = input
            self.output = output
            self.problems = problems
        }
    }

    /// What happens to the lines.
    package struct Options: Sendable {
        let fields: DocumentFields
        /// The names of all types that documents have afterwards; nil for any.
        let types: [String]?
        let marksDropped: Bool
        /// Whether lines with problems are also in the output.
        let keepsFailed: Bool
        let threads: Int
    }

    /// The reader of the output has closed it.
    struct OutputClosed: Error {}

    private let migrations: MigrationRegistry
    private let files: Files
    private let options: Options
    private let input: Locked<(reader: LineReader, blocks: Int)>
    private let order = TurnOrder()
    private let state: Locked<State>

    private struct State {
        var summary = DocumentSummary()
        /// The number of threads that have not ended.
        var threads: Int
        /// nil when the run is over.
        var continuation: CheckedContinuation<DocumentSummary, any Error>?
    }

    /// - Throws: ``MoltError`` for a registry that cannot upgrade documents.
    package init(_ migrations: MigrationRegistry, _ files: Files, _ options: Options) throws {
        self.migrations = migrations
        self.files = files
        self.options = options
        input = Locked((LineReader(files.input), 0))
        state = Locked(State(threads: options.threads))
        _ = try DocumentUpgrade(migrations, types: options.types)
    }

    /// Upgrades all lines; to be called once.
    ///
    /// After an error, a thread may still wait for input that nobody will use.
    ///
    /// - Throws: ``MoltError`` for a line that cannot be upgraded if there is no file for problems; ``CommandError``
    ///   for a file that cannot be read or written; ``OutputClosed``.
    package func run() async throws -> DocumentSummary {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            // If there cannot be as many threads, the first ones do all the work.
            let queue = DispatchQueue(label: "molt.documents", attributes: .concurrent)
            for _ in 0..<options.threads {
                queue.async { [self] in
                    do {
                        try upgradeBlocks()
                        if let summary = endThread() { end(.success(summary)) }
                    } catch {
                        end(.failure(error))
                    }
                }
            }
        }
    }

    /// - Returns: The summary if no other thread is left.
    private func endThread() -> DocumentSummary? {
        state.withLock { state in
            state.threads -= 1
            return state.threads == 0 ? state.summary : nil
        }
    }

    private func end(_ result: Result<DocumentSummary, any Error>) {
        order.end()
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    /// The work of one thread.
    private func upgradeBlocks() throws {
        // An upgrade of its own, because threads that share one wait for each other.
        let upgrade = try DocumentUpgrade(migrations, types: options.types)
        var lines = DocumentLines(options.fields, upgrade, marksDropped: options.marksDropped)
        var block = DocumentBlock()
        let policy: DocumentBlock.FailurePolicy =
            files.problems == nil ? .stop : options.keepsFailed ? .keep : .leaveOut
        while true {
            let (number, failure) = read(into: &block)
            guard let number else { return }
            if failure == nil { withAutoreleasePool { block.upgrade(with: &lines, onFailure: policy) } }
            guard order.wait(for: number) else { return }
            if let failure { throw failure }
            try write(block)
            order.endTurn()
        }
    }

    /// - Returns: The number of the block, nil at the end of the input; and an error, which has its turn like a block.
    private func read(into block: inout DocumentBlock) -> (number: Int?, failure: CommandError?) {
        input.withLock { input in
            let number = input.blocks
            do throws(CommandError) {
                guard try input.reader.read(into: &block.input) else { return (nil, nil) }
                input.blocks += 1
                return (number, nil)
            } catch {
                return (number, error)
            }
        }
    }

    /// Writes the lines of a block whose turn it is.
    private func write(_ block: DocumentBlock) throws {
        let earlier = state.withLock { $0.summary.lines }
        // Problems first: if writing the output fails, no line is missing from both.
        if let problems = files.problems {
            var text: [UInt8] = []
            for problem in block.problems { text += try problem.json(after: earlier) }
            try write(text, to: problems, "the problems")
        }
        try write(block.output, to: files.output, "the output")
        if files.problems == nil, let problem = block.problems.first {
            var error = problem.error
            error.problem = "Line \(earlier + problem.line): \(error.problem)"
            throw error
        }
        state.withLock { $0.summary.add(block.summary) }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, _ name: String) throws {
        let number = Terminal.write(bytes, to: descriptor)
        if number == EPIPE, descriptor == files.output { throw OutputClosed() }
        guard number == 0 else {
            let reason = String(cString: strerror(number))
            throw CommandError("\(name) cannot be written: \(reason)", code: ExitCode.trouble)
        }
    }
}
