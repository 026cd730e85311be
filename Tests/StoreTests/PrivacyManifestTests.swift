import Foundation
import Testing

/// The manifests that Apple requires of packages whose code calls certain functions.
///
/// The categories, functions and reasons are those of "Describing use of required reason API" in Apple's documentation.
@Suite("Privacy manifests")
struct PrivacyManifestTests {
    /// A list in Apple's documentation: functions whose use needs a reason.
    private struct Category {
        let name: String
        let calls: [String]
        let reasons: Set<String>

        init(_ name: String, calls: [String], reasons: Set<String>) {
            (self.name, self.calls, self.reasons) = (name, calls, reasons)
        }
    }

    private static let categories = [
        Category(
            "UserDefaults",
            calls: ["UserDefaults", "CFPreferences"],
            reasons: ["CA92.1", "1C8F.1", "C56D.1", "AC6B.1"]
        ),
        Category(
            "FileTimestamp",
            calls: [
                "stat(", "fstatat(", "getattrlist", "creationDate", "modificationDate", "fileModificationDate",
                "ModificationDateKey", "creationDateKey",
            ],
            reasons: ["DDA9.1", "C617.1", "3B52.1", "0A2A.1"]
        ),
        Category(
            "DiskSpace",
            calls: [
                "statfs(", "statvfs(", "volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize", "systemSize",
            ],
            reasons: ["85F4.1", "E174.1", "7D9E.1", "B728.1"]
        ),
        Category("SystemBootTime", calls: ["systemUptime", "mach_absolute_time"], reasons: ["35F9.1", "8FFB.1"]),
        Category("ActiveKeyboards", calls: ["activeInputModes"], reasons: ["3EC4.1", "54BD.1"]),
    ]

    private static let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized

    @Test(arguments: ["Molt", "MoltSalvage"])
    func `name exactly the categories that the target calls, each with a reason`(target: String) throws {
        let directory = Self.sources.appending(path: target)
        let files = try #require(FileManager.default.subpaths(atPath: directory.path)).filter { $0.hasSuffix(".swift") }
        let texts = try files.map { try String(contentsOf: directory.appending(path: $0), encoding: .utf8) }
        let used = Self.categories.filter { category in
            category.calls.contains { call in texts.contains { Self.code($0, calls: call) } }
        }
        let declared = try Self.reasons(in: directory.appending(path: "PrivacyInfo.xcprivacy"))
        #expect(Set(declared.keys) == Set(used.map { "NSPrivacyAccessedAPICategory\($0.name)" }))
        for category in used {
            let reasons = declared["NSPrivacyAccessedAPICategory\(category.name)"] ?? []
            #expect(!reasons.isEmpty && category.reasons.isSuperset(of: reasons))
        }
    }

    /// Whether a line of a file that is no comment calls a function.
    private static func code(_ text: String, calls name: String) -> Bool {
        // Few files contain a name at all.
        guard text.withCString({ strstr($0, name) != nil }) else { return false }
        return text.split(separator: "\n").contains { line in
            !line.drop(while: \.isWhitespace).hasPrefix("//") && Self.line(line, calls: name)
        }
    }

    /// Whether a line contains a name that is not the end of another one: `stat(` is not `newStat(`.
    private static func line(_ line: Substring, calls name: String) -> Bool {
        line.ranges(of: name).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            // `lstat(` and `fstat(` are in Apple's list, too.
            return !before.isLetter && before != "_" || name == "stat(" && (before == "l" || before == "f")
        }
    }

    /// The reasons in a manifest, by category; none without a manifest.
    private static func reasons(in manifest: URL) throws -> [String: Set<String>] {
        guard FileManager.default.fileExists(atPath: manifest.path) else { return [:] }
        let data = try Data(contentsOf: manifest)
        let list = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        let types = try #require(list["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        var reasons: [String: Set<String>] = [:]
        for type in types {
            let name = try #require(type["NSPrivacyAccessedAPIType"] as? String)
            reasons[name] = Set(try #require(type["NSPrivacyAccessedAPITypeReasons"] as? [String]))
        }
        return reasons
    }
}
