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
        /// Whether lines with problems are also in the output.
        let keepsFailed: Bool
        let threads: Int
        /// The most bytes that a line may have.
        package var longestLine = 512 << 20
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
        var continuation: CheckedContinuation<Void, any Error>?
    }

    /// - Throws: ``MoltError`` for a registry that cannot upgrade documents.
    package init(_ migrations: MigrationRegistry, _ files: Files, _ options: Options) throws {
        self.migrations = migrations
        self.files = files
        self.options = options
        input = Locked((LineReader(files.input, longestLine: options.longestLine), 0))
        state = Locked(State(threads: options.threads))
        _ = try DocumentUpgrade(migrations, types: options.types)
    }

    /// What became of the lines that were read and written until now.
    package var summary: DocumentSummary { state.withLock { $0.summary } }

    /// Upgrades all lines; to be called once.
    ///
    /// After an error, a thread may still wait for input that nobody will use.
    ///
    /// - Throws: ``MoltError`` for a line that cannot be upgraded if there is no file for problems; ``CommandError``
    ///   for a file that cannot be read or written; ``OutputClosed``.
    package func run() async throws {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            // If there cannot be as many threads, the first ones do all the work.
            let queue = DispatchQueue(label: "molt.documents", attributes: .concurrent)
            for _ in 0..<options.threads {
                queue.async { [self] in
                    do {
                        try upgradeBlocks()
                        if endThread() { end(.success(())) }
                    } catch {
                        end(.failure(error))
                    }
                }
            }
        }
    }

    /// Checks that the files that were written can be closed without an error.
    func checkClosing() throws {
        if let problems = files.problems { try access(problems, "the problems") { try $0.checkClosing() } }
        try access(files.output, "the output") { try $0.checkClosing() }
    }

    /// - Returns: Whether no other thread is left.
    private func endThread() -> Bool {
        state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
    }

    private func end(_ result: Result<Void, any Error>) {
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
        var upgrader = options.fields.upgrader(try DocumentUpgrade(migrations, types: options.types))
        var block = DocumentBlock()
        let policy: DocumentBlock.FailurePolicy =
            files.problems == nil ? .stop : options.keepsFailed ? .keep : .leaveOut
        while true {
            switch read(into: &block) {
            case .block(let number):
                withAutoreleasePool { block.upgrade(with: &upgrader, onFailure: policy) }
                guard order.wait(for: number) else { return }
                try write(block)
                order.endTurn()
            case .failure(let error, let number):
                guard order.wait(for: number) else { return }
                throw error
            case .end:
                return
            }
        }
    }

    /// The next block of the input, or the error of reading it; each has a number, whose turn it waits for.
    private enum Input {
        case block(Int)
        case failure(CommandError, Int)
        case end
    }

    private func read(into block: inout DocumentBlock) -> Input {
        input.withLock { input in
            do throws(CommandError) {
                guard try input.reader.read(into: &block.input) else { return .end }
                input.blocks += 1
                return .block(input.blocks - 1)
            } catch {
                return .failure(error, input.blocks)
            }
        }
    }

    /// Writes the lines of a block whose turn it is.
    private func write(_ block: DocumentBlock) throws {
        let earlier = summary.lines
        // Problems first: if writing the output fails, no line is missing from both.
        if let problems = files.problems {
            try access(problems, "the problems") { try $0.write(block.problems.text(after: earlier)) }
        }
        try access(files.output, "the output") { try $0.write(block.output) }
        state.withLock { $0.summary.add(block.summary) }
        guard let (line, failure) = block.failure else { return }
        var error = failure
        error.problem = "Line \(earlier + line): \(error.problem)"
        throw error
    }

    private func access(_ descriptor: Int32, _ name: String, _ body: (Descriptor) throws -> Void) throws {
        do {
            try body(Descriptor(descriptor))
        } catch let error as Descriptor.Failure {
            if error.number == EPIPE, descriptor == files.output { throw OutputClosed() }
            throw CommandError("\(name) cannot be written: \(error.reason)", code: ExitCode.trouble)
        }
    }
}
