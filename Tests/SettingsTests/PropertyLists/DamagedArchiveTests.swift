import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Damaged property lists and archives` {
    #if os(Linux)
        /// A binary property list like those of UserDefaults and of a journal.
        private static func bytes() throws -> Data {
            let values = PropertyListValue.dictionary(`Values from UserDefaults`.values)
            return try PropertyListSerialization.data(fromPropertyList: values.object, format: .binary, options: 0)
        }

        @Test func `A binary property list is read as Foundation reads it`() throws {
            let bytes = try Self.bytes()
            let foundation = try PropertyListSerialization.propertyList(from: bytes, format: nil)
            for read in [try PropertyListReader.value(bytes), try PropertyListValue(normalizing: foundation)] {
                #expect(read == .dictionary(`Values from UserDefaults`.values))
            }
        }

        @Test func `A property list that contains itself is refused`() throws {
            // One array whose only element is itself.
            let list = HandmadeArchive.binaryList([0xA1, 0x00])
            #expect(throws: CocoaError.self) { try PropertyListReader.value(list) }
        }

        @Test func `A suite's file that is a damaged binary property list is an error and is left unchanged`() throws {
            let scratch = ScratchSuite(named: TestHome.newSuiteName())
            var bytes = try Self.bytes()
            // The table of objects lies behind the end of the file.
            bytes[bytes.count - 3] = 0xFF
            try scratch.writeFile(bytes)
            MoltError.thrown { try scratch.suite.allValues() }?.expect(.settingUnreadable)
            #expect(try Data(contentsOf: scratch.file) == bytes)
        }
    #endif

    // MARK: Archives that no archiver writes

    /// Found by MoltFuzz: the unarchiver read beyond the end and ended the process.
    @Test func `An archived dictionary with more keys than values, and an array that contains itself, are refused`()
        throws
    {
        func read(_ name: String, keys: [Int]? = nil, _ values: [Int]) throws -> NSObject {
            let archive = try HandmadeArchive.collections(name, keys: keys, [values])
            return try KeyedArchive.object([NSObject.self], from: .data(archive))
        }
        MoltError.thrown { try read("NSDictionary", keys: [2, 2], [2]) }
        let whole = try read("NSDictionary", keys: [2], [2])
        #expect(whole as? NSDictionary == ["text": "text"])
        MoltError.thrown { try read("NSArray", [1]) }
    }

    @Test func `An archive with endless, exponential or deep nesting is left unread`() throws {
        // An array that contains itself; then thirty arrays that contain the next one twice: over 10⁹ elements.
        let endless = try HandmadeArchive.collections("NSArray", [[1]])
        let huge = try HandmadeArchive.collections("NSArray", (1...30).map { [$0 + 1, $0 + 1] } + [[]])
        let small = try HandmadeArchive.collections("NSArray", [[2, 2], [3], []])
        let form = DefaultsForm.array(of: .array(of: .array(of: .int)))
        for data in [endless, huge] {
            #expect(SwiftyConversion().convert(.data(data), as: form).failure != nil)
        }
        #expect(SwiftyConversion().convert(.data(small), as: form) == .converted([[[]], [[]]]))
        // Archives in archives.
        var data = Data("[1]".utf8)
        for _ in 0..<40 {
            data = try NSKeyedArchiver.archivedData(withRootObject: data, requiringSecureCoding: false)
        }
        #expect(SwiftyConversion().convert(.data(data), as: .array(of: .int)).failure != nil)
    }

    // MARK: Archives on which Foundation's unarchiver ends the process on Linux

    @Test
    func `An archive of a class of Foundation, or of a name mapped to one, is refused without its members`() throws {
        NSKeyedUnarchiver.setClass(NSString.self, forClassName: "molt.FormerText")
        for name in [
            "NSError", "NSOrthography", "NSTextCheckingResult", "NSString", "NSData", "NSDate", "NSURL", "NSUUID",
            "NSValue", "molt.FormerText",
        ] {
            let data = try HandmadeArchive.binary([HandmadeArchive.object(class: 2, ""), HandmadeArchive.type(name)])
            #expect(throws: MoltError.self, "\(name)") {
                let object: NSObject = try KeyedArchive.object([NSObject.self], from: .data(data))
                _ = object
            }?.expect(.typeMismatch)
        }
    }

    /// Two keys of a dictionary become the same, among others; Foundation then reads the first value.
    @Test func `An archive of an object with another index in any place never ends the process`() throws {
        let newts = SettingCoding<[Newt]>.keyedArchive
        let archive = try #require(try newts.stored([Newt(name: "a")])?.data)
        var (trials, unreadable) = (0, 0)
        let step = TestRun.choose(5, long: 1)
        for place in archive.indices {
            for index in stride(from: UInt8(place % step), to: 32, by: step) {
                trials += 1
                var data = archive
                data[place] = index
                if (try? newts.read(.data(data))) == nil { unreadable += 1 }
            }
        }
        #expect(unreadable > trials / 32)
    }
}
