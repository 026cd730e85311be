import Foundation
import TestSupport
import Testing

@testable import Molt

/// Archives on which Foundation's unarchiver ends the process on Linux.
@Suite("An archive that Foundation cannot read safely") struct UnsafeArchiveTests {
    @Test(arguments: [
        "NSError", "NSOrthography", "NSTextCheckingResult", "NSString", "NSData", "NSDate", "NSURL", "NSUUID",
        "NSValue",
    ])
    func `of a class of Foundation without its members is refused`(name: String) throws {
        let data = try HandmadeArchive.binary([HandmadeArchive.object(class: 2, ""), HandmadeArchive.type(name)])
        let error = #expect(throws: MoltError.self) {
            let object: NSObject = try KeyedArchive.object([NSObject.self], from: .data(data))
            _ = object
        }
        #expect(error?.code == .typeMismatch)
    }

    @Test func `of a name that the app maps to a class of Foundation without its members is refused`() throws {
        NSKeyedUnarchiver.setClass(NSString.self, forClassName: "molt.FormerText")
        let data = try HandmadeArchive.binary([
            HandmadeArchive.object(class: 2, ""), HandmadeArchive.type("molt.FormerText"),
        ])
        let object: NSObject? = try? KeyedArchive.object([NSObject.self], from: .data(data))
        #expect(object == nil)
    }

    @Test func `with any bit flipped gives a value or an error`() throws {
        let url = try #require(NSURL(string: "https://e.com/a"))
        let uuid = try #require(NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let objects: [Any] = [
            NSDate(timeIntervalSinceReferenceDate: 1.5), url, uuid, NSMutableString(string: "text"),
            NSMutableData(data: Data([1, 2, 3])), NSSet(array: ["a"]), NSDictionary(dictionary: ["k": 1]), NSNull(),
        ]
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: objects),
            requiringSecureCoding: false
        )
        let whole: NSArray = try KeyedArchive.object([NSArray.self], from: .data(data))
        #expect(whole.count == objects.count)
        var refusals = 0
        let bits = Array(stride(from: 0, to: data.count * 8, by: TestRun.choose(11, long: 1)))
        for bit in bits {
            var damaged = data
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let read: NSArray? = try? KeyedArchive.object([NSArray.self], from: .data(damaged))
            if read == nil { refusals += 1 }
        }
        #expect(refusals > bits.count / 32)
    }
}
