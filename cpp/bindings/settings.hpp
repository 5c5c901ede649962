// Settings of solvers as Python classes: a struct of the core, written down once.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/problem.hpp"

namespace svmosaic {

namespace nb = nanobind;

// The values of an enumeration by the names that Python uses.
template <class Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

// Where a field lies in its struct, and how Python sees it. Nothing here depends on the struct:
// code for each field of each struct would take a fifth of the time of a whole build.
struct SettingField {
    enum class Kind { real, integer, boolean, choice, nested };

    std::string name;
    std::ptrdiff_t offset = 0;
    Kind kind = Kind::real;
    Names<int> names{};        // of a choice
    std::string class_name{};  // of nested settings, and how they are copied
    nb::object (*read_nested)(const void* field) = nullptr;
    bool (*write_nested)(void* field, nb::handle value) = nullptr;

    nb::object read(const void* settings) const;
    void write(void* settings, nb::handle value) const;
    std::string property_type() const;
    std::string argument_type() const;
};

// The fields of one struct, in the order of Python's arguments.
class SettingFields {
  public:
    const SettingField& add(SettingField field);
    // Assigns the fields that are given by name.
    void assign(void* settings, const nb::kwargs& given, const std::string& class_name) const;
    std::string repr(const void* settings, const std::string& class_name) const;
    // All fields as keyword arguments in a stub.
    std::string arguments() const;
    // A signature, which has to outlive the definition of the module.
    const char* keep(std::string signature);

  private:
    std::deque<SettingField> fields_;
    std::deque<std::string> signatures_;
};

// Binds a struct of settings: a constructor that takes fields by keyword, and a property each.
//   SettingsClass<SmoSettings>(m, "SmoSettings", "...")
//       .field("C", &SmoOptions::C, "Upper bound of a coefficient.");
template <class T>
class SettingsClass {
  public:
    SettingsClass(nb::module_& m, const char* name, const char* doc)
        : class_(m, name, doc), name_(name) {}
    SettingsClass(const SettingsClass&) = delete;
    SettingsClass& operator=(const SettingsClass&) = delete;

    // `get` returns a reference to the field.
    template <class Get>
    SettingsClass& field(const char* name, Get get, const char* doc) {
        using Value = std::remove_reference_t<decltype(get(std::declval<T&>()))>;
        SettingField field{name, offset_of(get)};
        if constexpr (std::is_same_v<Value, double>) {
            field.kind = SettingField::Kind::real;
        } else if constexpr (std::is_same_v<Value, bool>) {
            field.kind = SettingField::Kind::boolean;
        } else {
            static_assert(std::is_same_v<Value, Index>);
            field.kind = SettingField::Kind::integer;
        }
        return add(std::move(field), doc);
    }

    template <class Value>
    SettingsClass& field(const char* name, Value T::* member, const char* doc) {
        return field(name, [member](T& settings) -> Value& { return settings.*member; }, doc);
    }

    // A field that Python knows by names.
    template <class Get, class Enum>
    SettingsClass& choice(const char* name, Get get, const Names<Enum>& names, const char* doc) {
        static_assert(sizeof(Enum) == sizeof(int));
        SettingField field{name, offset_of(get), SettingField::Kind::choice};
        for (const auto& [known, value] : names) {
            field.names.emplace_back(known, static_cast<int>(value));
        }
        return add(std::move(field), doc);
    }

    template <class Enum>
    SettingsClass& choice(const char* name, Enum T::* member, const Names<Enum>& names,
                          const char* doc) {
        return choice(
            name, [member](T& settings) -> Enum& { return settings.*member; }, names, doc);
    }

    // Settings within settings, a class of its own.
    template <class Value>
    SettingsClass& nested(const char* name, Value T::* member, const char* class_name,
                          const char* doc) {
        SettingField field{name,
                           offset_of([member](T& settings) -> Value& { return settings.*member; }),
                           SettingField::Kind::nested};
        field.class_name = class_name;
        field.read_nested = [](const void* from) {
            return nb::cast(*static_cast<const Value*>(from));
        };
        field.write_nested = [](void* to, nb::handle value) {
            return nb::try_cast<Value>(value, *static_cast<Value*>(to));
        };
        return add(std::move(field), doc);
    }

    // Defines the constructor: all fields are known when this object goes.
    ~SettingsClass() {
        const std::string arguments = fields().arguments();
        class_.def(
            "__init__",
            [name = name_](T* self, const nb::kwargs& given) {
                new (self) T();
                fields().assign(self, given, name);
            },
            nb::sig(fields().keep("def __init__(self" + arguments + ") -> None")));
        class_.def(
            "replaced",
            [name = name_](const T& settings, const nb::kwargs& given) {
                T copy = settings;
                fields().assign(&copy, given, name);
                return copy;
            },
            nb::sig(fields().keep("def replaced(self" + arguments + ") -> " + name_)),
            "Return a copy with other values of some fields.");
        class_.def(
            "__repr__",
            [name = name_](const T& settings) { return nb::cast(fields().repr(&settings, name)); },
            nb::sig("def __repr__(self) -> str"));
    }

  private:
    static SettingFields& fields() {
        static SettingFields known;
        return known;
    }

    template <class Get>
    static std::ptrdiff_t offset_of(const Get& get) {
        T settings{};
        return reinterpret_cast<const char*>(&get(settings)) -
               reinterpret_cast<const char*>(&settings);
    }

    SettingsClass& add(SettingField added, const char* doc) {
        const SettingField& field = fields().add(std::move(added));
        const std::string type = field.property_type();
        class_.def_prop_rw(
            field.name.c_str(), [&field](const T& settings) { return field.read(&settings); },
            [&field](T& settings, nb::handle value) { field.write(&settings, value); },
            nb::for_getter(nb::sig(fields().keep("def " + field.name + "(self) -> " + type))),
            nb::for_setter(nb::sig(
                fields().keep("def " + field.name + "(self, arg: " + type + ", /) -> None"))),
            doc);
        return *this;
    }

    nb::class_<T> class_;
    std::string name_;
};

}  // namespace svmosaic
