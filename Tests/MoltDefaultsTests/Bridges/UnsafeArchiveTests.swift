import Foundation
import MoltDefaults
import TestSupport
import Testing

/// Archives on which Foundation's unarchiver ends the process on Linux.
@Suite("An archive that Foundation cannot read safely") struct UnsafeArchiveTests {
    private static func archive(_ object: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    @Test func `of another class of Foundation is refused`() throws {
        let data = try Self.archive(NSError(domain: "d", code: 1))
        let error = #expect(throws: DefaultsError.self) {
            let object: NSError = try KeyedArchive.object([NSError.self], from: .data(data))
            _ = object
        }
        #expect(error?.code == .typeMismatch)
    }

    @Test func `with any bit flipped gives a value or an error`() throws {
        let url = try #require(NSURL(string: "https://e.com/a"))
        let objects: [Any] = [
            NSDate(timeIntervalSinceReferenceDate: 1.5), url, NSUUID(), NSMutableString(string: "text"),
            NSMutableData(data: Data([1, 2, 3])), NSSet(array: ["a"]), NSDictionary(dictionary: ["k": 1]), NSNull(),
        ]
        let data = try Self.archive(NSArray(array: objects))
        let whole: NSArray = try KeyedArchive.object([NSArray.self], from: .data(data))
        #expect(whole.count == objects.count)
        var refusals = 0
        for bit in stride(from: 0, to: data.count * 8, by: TestRun.choose(3, long: 1)) {
            var damaged = data
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let read: NSArray? = try? KeyedArchive.object([NSArray.self], from: .data(damaged))
            if read == nil { refusals += 1 }
        }
        #expect(refusals > 100)
    }
}
