internal import Molt

/// The forms in which stores hold settings.
struct SettingForms {
    private var forms: [SampledSetting: Set<SettingForm>] = [:]

    /// - Parameter stores: The stores, by the names of their files.
    init(_ stores: [String: StoreFixture]) {
        for store in stores.values {
            for setting in store.sampledSettings {
                // A scalar is in no form of a library.
                guard let content = try? SettingContent(setting.value) else { continue }
                forms[setting.name, default: []].insert(content.form)
            }
        }
    }

    /// The form of a setting; nil if there is none, or several.
    subscript(_ setting: SampledSetting) -> SettingForm? {
        let found = forms[setting] ?? []
        return found.count == 1 ? found.first : nil
    }
}
