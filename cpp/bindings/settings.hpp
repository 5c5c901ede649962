// Settings of solvers as Python classes: a struct of the core, written down once.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <deque>
#include <functional>
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

    // `get` returns a reference to the field; `type` names it in stubs where it is a class.
    template <class Get>
    SettingsClass& field(const char* name, Get get, const char* doc, const char* type = nullptr) {
        using Value = std::remove_reference_t<decltype(get(std::declval<T&>()))>;
        fields().push_back({name, [get](T& settings, nb::handle value) {
                                get(settings) = nb::cast<Value>(value);
                            }});
        class_.def_prop_rw(
            name, [get](T& settings) { return get(settings); },
            [get](T& settings, Value value) { get(settings) = value; }, doc);
        list(name, type != nullptr ? type : type_name<Value>());
        return *this;
    }

    template <class Value>
    SettingsClass& field(const char* name, Value T::* member, const char* doc) {
        return field(name, [member](T& settings) -> Value& { return settings.*member; }, doc);
    }

    // A field that Python knows by names.
    template <class Get, class Enum>
    SettingsClass& choice(const char* name, Get get, Names<Enum> names, const char* doc) {
        const auto set = [get, names, name](T& settings, const std::string& wanted) {
            for (const auto& [known, value] : names) {
                if (known == wanted) {
                    get(settings) = value;
                    return;
                }
            }
            throw nb::value_error(
                ("unknown value '" + wanted + "' of the setting '" + name + "'").c_str());
        };
        const auto read = [get, names](T& settings) {
            for (const auto& [known, value] : names) {
                if (value == get(settings)) return known;
            }
            return std::string();
        };
        fields().push_back({name, [set](T& settings, nb::handle value) {
                                set(settings, nb::cast<std::string>(value));
                            }});
        class_.def_prop_rw(name, read, set, doc);
        std::string type = "Literal[";
        for (const auto& [known, value] : names) type += "\"" + known + "\", ";
        list(name, type.substr(0, type.size() - 2) + "]");
        return *this;
    }

    template <class Enum>
    SettingsClass& choice(const char* name, Enum T::* member, Names<Enum> names, const char* doc) {
        return choice(
            name, [member](T& settings) -> Enum& { return settings.*member; }, std::move(names),
            doc);
    }

    // Defines the constructor: all fields are known when this object goes.
    ~SettingsClass() {
        kept().push_back("def __init__(self" + arguments_ + ") -> None");
        class_.def(
            "__init__",
            [name = name_](T* self, const nb::kwargs& given) {
                new (self) T();
                for (const auto& [key, value] : given)
                    set(*self, nb::cast<std::string>(key), value, name);
            },
            nb::sig(kept().back().c_str()));
        kept().push_back("def replaced(self" + arguments_ + ") -> " + name_);
        class_.def(
            "replaced",
            [name = name_](const T& settings, const nb::kwargs& given) {
                T copy = settings;
                for (const auto& [key, value] : given) {
                    set(copy, nb::cast<std::string>(key), value, name);
                }
                return copy;
            },
            nb::sig(kept().back().c_str()), "Return a copy with other values of some fields.");
        class_.def("__repr__", [name = name_](nb::handle self) {
            std::string text = name + "(";
            const char* comma = "";
            for (const auto& field : fields()) {
                text += comma + field.first + "=" +
                        nb::cast<std::string>(nb::repr(self.attr(field.first.c_str())));
                comma = ", ";
            }
            return text + ")";
        });
    }

  private:
    using Set = std::function<void(T&, nb::handle)>;

    static std::vector<std::pair<std::string, Set>>& fields() {
        static std::vector<std::pair<std::string, Set>> known;
        return known;
    }

    // Signatures, which have to outlive the module's definition.
    static std::deque<std::string>& kept() {
        static std::deque<std::string> signatures;
        return signatures;
    }

    static void set(T& settings, const std::string& key, nb::handle value, const std::string& who) {
        for (const auto& [name, assign] : fields()) {
            if (name == key) {
                assign(settings, value);
                return;
            }
        }
        throw nb::type_error((who + " has no setting '" + key + "'").c_str());
    }

    template <class Value>
    static std::string type_name() {
        if constexpr (std::is_same_v<Value, bool>) return "bool";
        if constexpr (std::is_same_v<Value, double>) return "float";
        return "int";
    }

    void list(const std::string& name, const std::string& type) {
        if (arguments_.empty()) arguments_ = ", *";
        arguments_ += ", " + name + ": " + type + " = ...";
    }

    nb::class_<T> class_;
    std::string name_;
    std::string arguments_;
};

}  // namespace svmosaic
