internal import Foundation
internal import Molt

/// The store that the command upgrades, made ready.
struct Subject {
    /// The store's file.
    let file: URL
    /// What the plan and the report call it: its path, or a name where that is nowhere to be found afterwards.
    let name: String
    /// What the store is, in words.
    let words: String
    /// Who wrote it and how many people it has; nil when it was named by the caller.
    let origin: Origin?
    /// Where its settings are.
    let settings: SettingsSuites

    /// Where a store comes from whose values are known.
    struct Origin {
        /// The release that wrote it.
        var release: any Release.Type
        /// How many people it has.
        var people: Int
    }

    /// Finds the store, or makes it in a scratch directory, together with the settings of the release.
    ///
    /// A store that is named by the caller comes without settings.
    ///
    /// - Throws: ``ContactsError``, or what copying or writing throws.
    init(_ source: Arguments.Source, in scratch: ScratchDirectory, _ settings: SettingsSuites) throws {
        self.settings = settings
        switch source {
        case .checkedIn(let number):
            let release = try Releases.release(number)
            file = scratch.file("contacts.molt")
            try FileManager.default.copyItem(at: try Releases.store(of: release), to: file)
            origin = Origin(release: release, people: SampleData.namedPeople)
            name = "contacts.molt (a scratch copy)"
            words = "A copy of the store that release \(number) wrote"
        case .generated(let number, let people):
            let release = try Releases.release(number)
            file = scratch.file("contacts.molt")
            try release.write(people: people, to: file)
            origin = Origin(release: release, people: people)
            name = "contacts.molt (a scratch store)"
            words = "A new store with \(people.grouped) people, written by the code of release \(number)"
        case .file(let path):
            file = URL(filePath: path)
            origin = nil
            name = file.readablePath
            words = "The store at \(file.readablePath)"
            // Opening a cache makes the file where there is none, which nobody who names one wants.
            guard file.exists else { throw ContactsError.noFile(file) }
        }
        if origin != nil { try settings.own.update(set: Releases.settings()) }
    }
}
