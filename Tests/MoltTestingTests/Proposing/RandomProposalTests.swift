import Foundation
import Generators
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite struct `A proposal for a random change of a model` {
    @Test func `loses no value of any record, and leaves what the new model reads if it has no comment`() throws {
        var (applied, complete) = (0, 0)
        for seed in 0..<UInt64(TestRun.choose(40, long: 3000)) {
            var shapes = RandomShapes(seed: seed)
            let (oldShape, newShape) = shapes.pair()
            let records = (0..<8).map { index in
                let content = StoreFixture.Content.json(shapes.value(of: oldShape).description)
                return StoreFixture.Record("\(index)", "Person", content)
            }
            let store = StoreFixture(version: 0, records: records)
            // Half of the proposals know no store.
            let known = seed.isMultiple(of: 2) ? [:] : ["0-samples.json": store]
            let proposal = StepProposal(from: ["Person": oldShape], to: ["Person": newShape], stores: known)
            let source = proposal.migration(to: 1) ?? ""
            let upgrade = try DocumentUpgrade([Migration(to: 1, "proposed", steps: proposal.steps)])
            let comment: Comment = "seed \(seed)\n\(source)"
            for record in records {
                let before = Data(record.content.bytes)
                let content: Data
                do {
                    content = try upgrade.upgrade(before, ofType: "Person", writtenAt: 0).content
                } catch {
                    // A step that fails leaves the store as it was, and those that were tried do not fail.
                    #expect(known.isEmpty, "\(error)\n\(source)")
                    continue
                }
                applied += 1
                let (old, after) = (try RecordValue(json: before), try RecordValue(json: content))
                let numbers = Set(after.numbers)
                #expect(old.numbers.allSatisfy(numbers.contains), "\(old) became \(after), \(comment)")
                if !source.contains("// ."), !source.contains("…") {
                    complete += 1
                    #expect(after.isReadable(as: newShape), "\(old) became \(after), \(comment)")
                }
            }
        }
        #expect(applied > 100 && complete > 30, "\(applied) \(complete)")
    }
}
