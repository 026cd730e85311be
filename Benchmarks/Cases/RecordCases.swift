import Foundation
import Molt
import MoltCore

/// In-memory record processing on one core: the work of an upgrade between reading a row and writing it.
enum RecordCases {
    static let all: [BenchmarkCase] =
        RecordSize.allCases.flatMap { [parse($0), rename($0)] } + [splitInClosure, split, mapValue, renameEach]

    private static func parse(_ size: RecordSize) -> BenchmarkCase {
        benchmark("record-parse-\(size.rawValue.lowercased())", "parse and index records in memory", size) { _, _ in
        } check: { record, _, index in
            try record.string("fullName") == People.person(index).fullName && record.contains("mail")
        }
    }

    private static func rename(_ size: RecordSize) -> BenchmarkCase {
        let path: PropertyPath = "mail"
        return benchmark(
            "record-rename-\(size.rawValue.lowercased())",
            "parse records in memory, rename a property, write them back",
            size
        ) { record, contents in
            try record.rename(path, to: "email", ifMissing: .skip)
            record.writeContent(to: &contents)
        } check: { _, written, index in
            try written.starts(with: People.renamedContent(index, size))
        }
    }

    private static let splitInClosure = step(
        "record-split-closure-200b",
        "split the name in a closure",
        .small,
        .transform(People.typeName) { person in
            let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
            person["firstName"] = .string(parts.first ?? "")
            person["lastName"] = .string(parts.count > 1 ? parts[1] : "")
        }
    ) { try $0.string("firstName") == SplitPerson(People.person($1)).firstName }

    private static let split = step(
        "record-split-200b",
        "split the name with splitProperty",
        .small,
        .splitProperty(People.typeName, "fullName", into: ["firstName", "lastName"]),
        ratios: [BenchmarkRatio(.rate, of: splitInClosure.name, atLeast: 0.7)]
    ) { try $0.string("lastName") == SplitPerson(People.person($1)).lastName }

    private static let mapValue = step(
        "record-map-value-200b",
        "mapValue with twelve values, of which all records have one",
        .small,
        .mapValue(
            People.typeName,
            "city",
            Dictionary(uniqueKeysWithValues: People.cities.map { (.string($0), .string($0 + "!")) })
        ),
        ratios: [BenchmarkRatio(.rate, of: splitInClosure.name)]
    ) { try $0.string("city") == People.person($1).city + "!" }

    private static let renameEach = step(
        "record-rename-each-2kb",
        "renameProperty with each, in about seven elements",
        .medium,
        .renameProperty(People.typeName, ["messages", .each, "isRead"], to: "wasRead"),
        ratios: [BenchmarkRatio(.rate, of: "record-rename-2kb")]
    ) { record, index in
        let messages = People.profile(index, .medium).messages
        return try record.value(["messages", .each, "wasRead"], as: [Bool].self) == messages.map(\.isRead)
    }

    /// A case of a step that changes single records.
    private static func step(
        _ name: String,
        _ summary: String,
        _ size: RecordSize,
        _ step: MigrationStep,
        ratios: [BenchmarkRatio] = [],
        check: @escaping @Sendable (Record, Int) throws -> Bool
    ) -> BenchmarkCase {
        var benchmark = benchmark(name, summary + " in memory, write them back", size) { record, contents in
            try step.change(&record)
            record.writeContent(to: &contents)
        } check: { record, _, index in
            try check(record, index)
        }
        benchmark.ratios = ratios
        return benchmark
    }

    /// - Parameters:
    ///   - change: Changes a record, and appends it to the output buffer of its batch.
    ///   - check: Checks a record of the last batch, given the output from that record on, and the index of the person.
    private static func benchmark(
        _ name: String,
        _ summary: String,
        _ size: RecordSize,
        change: @escaping @Sendable (inout Record, inout [UInt8]) throws -> Void,
        check: @escaping @Sendable (Record, ArraySlice<UInt8>, Int) throws -> Bool
    ) -> BenchmarkCase {
        var benchmark = BenchmarkCase(name: name, summary: summary, recordSize: size) { context in
            // Enough different contents to exceed a processor's first caches; arrays, because access to Data is slower.
            let poolSize = min(context.records, size == .large ? 1000 : 4000)
            let pool = try (1...poolSize).map { Array(try People.content($0, size)) }
            let key = Array(People.key(1).utf8)
            let batch = RecordBatch(capacity: MigrationOptions().batchSize, coding: .standard)
            let count = context.records
            var written: [UInt8] = []
            var lastStarts: [Int] = []
            return BenchmarkTrial(count: count, bytes: (0..<count).reduce(0) { $0 + pool[$1 % pool.count].count }) {
                _ in
                // Local variables, because no other closure accesses them.
                var output: [UInt8] = []
                var starts: [Int] = []
                for start in stride(from: 0, to: count, by: batch.capacity) {
                    batch.removeAll()
                    output.removeAll(keepingCapacity: true)
                    starts.removeAll(keepingCapacity: true)
                    for number in start..<min(start + batch.capacity, count) {
                        append(pool[number % pool.count], to: batch, id: number + 1, key)
                    }
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
                guard !lastStarts.isEmpty, lastStarts.count == batch.count else {
                    throw BenchmarkError("\(name): nothing was done.")
                }
                for (offset, start) in lastStarts.enumerated() {
                    let index = (count - lastStarts.count + offset) % pool.count + 1
                    guard try check(batch[offset], written[start...], index) else {
                        throw BenchmarkError("\(name): record \(index) is not what it should be.")
                    }
                }
            }
        }
        benchmark.limit = size == .small ? .max : size == .medium ? 400_000 : 16_000
        benchmark.quickLimit = size == .large ? 800 : .max
        return benchmark
    }

    private static func append(_ content: [UInt8], to batch: RecordBatch, id: Int, _ key: [UInt8]) {
        content.withUnsafeBytes { content in
            key.withUnsafeBytes { key in
                batch.append(
                    id: Int64(id),
                    typeName: People.typeName,
                    key: key,
                    content: content,
                    isData: false,
                    expiration: nil
                )
            }
        }
    }
}
