import Molt

/// Records in memory, on one core and without a store: what an upgrade does between reading a row and writing it.
enum RecordCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = RecordSize.allCases.flatMap { [parse($0), rename($0)] }

    /// How fast they should be.
    static let rates: [BenchmarkRate] =
        [
            BenchmarkRate(
                title: "\(rename(.small).name): records",
                subject: rename(.small).name,
                measure: .units,
                goal: .atLeast(2_000_000),
                row: "a record of 200 bytes in memory: parse, rename, write back"
            )
        ]
        + RecordSize.allCases.map { size in
            BenchmarkRate(
                title: "\(parse(size).name): bytes",
                subject: parse(size).name,
                measure: .megabytes,
                goal: .atLeast(500),
                row: "records in memory: parse"
            )
        }

    private static func parse(_ size: RecordSize) -> BenchmarkCase {
        benchmark("record-parse-\(size.rawValue.lowercased())", "parse and index records in memory", size) {
            _,
            _ in
        } check: { record, _, _, contents in
            try record.string("fullName") == contents.person.fullName && record.contains("mail")
        }
    }

    private static func rename(_ size: RecordSize) -> BenchmarkCase {
        let path: PropertyPath = "mail"
        return benchmark(
            "record-rename-\(size.rawValue.lowercased())",
            "parse records in memory, rename a property, write them back",
            size
        ) { record, contents in
            _ = try record.renameIfPresent(path, to: "email")
            record.writeContent(to: &contents)
        } check: { _, written, start, contents in
            written[start...].starts(with: contents.renamed)
        }
    }

    /// What a record is to be.
    private struct Expected {
        let person: PersonV1
        let renamed: [UInt8]
    }

    /// - Parameters:
    ///   - change: What is done to each record, and written to the buffer that its batch has.
    ///   - check: Whether a record of the last batch is right; gets the buffer, and where in it the record begins.
    private static func benchmark(
        _ name: String,
        _ summary: String,
        _ size: RecordSize,
        change: @escaping @Sendable (inout Record, inout [UInt8]) throws -> Void,
        check: @escaping @Sendable (Record, [UInt8], Int, Expected) throws -> Bool
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, size: count(size), recordSize: size) { context in
            let pool = try RecordPool(size, count: min(context.records, size == .large ? 1000 : 4000))
            let batch = RecordBatch(capacity: MigrationOptions().batchSize, coding: .standard)
            var written: [UInt8] = []
            var lastStarts: [Int] = []
            return BenchmarkTrial(count: context.records, bytes: pool.bytes(of: context.records)) {
                // As a thread of an upgrade has it: memory that no other closure looks at meanwhile.
                var output: [UInt8] = []
                var starts: [Int] = []
                for start in stride(from: 0, to: context.records, by: batch.capacity) {
                    batch.removeAll()
                    output.removeAll(keepingCapacity: true)
                    starts.removeAll(keepingCapacity: true)
                    for number in start..<min(start + batch.capacity, context.records) { pool.load(number, to: batch) }
                    try batch.withRecords { records in
                        for index in records.indices {
                            starts.append(output.count)
                            try records[index].read()
                            try change(&records[index], &output)
                        }
                    }
                }
                (written, lastStarts) = (output, starts)
            } finish: {
                let first = context.records - lastStarts.count
                guard !lastStarts.isEmpty, lastStarts.count == batch.count else {
                    throw BenchmarkError("\(name): nothing was done.")
                }
                for (offset, start) in lastStarts.enumerated() {
                    let index = pool.index(of: first + offset)
                    let expected = Expected(
                        person: People.person(index),
                        renamed: try PeopleContents(size).renamedContent(index)
                    )
                    guard try check(batch[offset], written, start, expected) else {
                        throw BenchmarkError("\(name): record \(index) is not what it should be.")
                    }
                }
            }
        }
    }

    /// Half a second or more of work, also where it is fast.
    private static func count(_ size: RecordSize) -> BenchmarkCase.Size {
        switch size {
        case .small: .always(4_000_000, quick: 200_000)
        case .medium: .always(400_000, quick: 20_000)
        case .large: .always(16_000, quick: 800)
        }
    }
}

/// Different contents that are loaded over and over, as rows of a store are: more than fit a processor's first caches.
private struct RecordPool {
    private var contents: [UInt8] = []
    private var ends: [Int] = []
    private let key = Array(People.key(1).utf8)

    init(_ size: RecordSize, count: Int) throws {
        let people = PeopleContents(size)
        for index in 1...count {
            contents += try people.content(index)
            ends.append(contents.count)
        }
    }

    /// The person that a record is of.
    func index(of number: Int) -> Int {
        number % ends.count + 1
    }

    /// Adds a record to a batch.
    func load(_ number: Int, to batch: RecordBatch) {
        let place = number % ends.count
        let start = place == 0 ? 0 : ends[place - 1]
        contents.withUnsafeBytes { contents in
            key.withUnsafeBytes { key in
                batch.append(
                    id: Int64(number + 1),
                    typeName: People.typeName,
                    key: key,
                    content: UnsafeRawBufferPointer(rebasing: contents[start..<ends[place]]),
                    isData: false,
                    expiration: nil
                )
            }
        }
    }

    /// How many bytes so many records have.
    func bytes(of count: Int) -> Int {
        let (rounds, rest) = count.quotientAndRemainder(dividingBy: ends.count)
        return rounds * contents.count + (rest == 0 ? 0 : ends[rest - 1])
    }
}
