#include "bindings/settings.hpp"

#include <nanobind/stl/string.h>

#include <cstring>

namespace svmosaic {

namespace {

// Fields are read and written byte by byte: their types are known here by `kind` only.
template <class Value>
Value load(const char* field) {
    Value value;
    std::memcpy(&value, field, sizeof(Value));
    return value;
}

template <class Value>
void store(char* field, const Value& value) {
    std::memcpy(field, &value, sizeof(Value));
}

[[noreturn]] void refuse(const SettingField& field, nb::handle given) {
    throw nb::type_error(("the setting '" + field.name + "' is of type " + field.property_type() +
                          "; got " + nb::cast<std::string>(nb::repr(given)))
                             .c_str());
}

template <class Value>
Value cast_for(const SettingField& field, nb::handle given) {
    Value value{};
    if (!nb::try_cast<Value>(given, value)) refuse(field, given);
    return value;
}

int value_of(const SettingField& field, const std::string& wanted) {
    for (const auto& [known, value] : field.names) {
        if (known == wanted) return value;
    }
    throw nb::value_error(
        ("unknown value '" + wanted + "' of the setting '" + field.name + "'").c_str());
}

std::string name_of(const SettingField& field, int wanted) {
    for (const auto& [known, value] : field.names) {
        if (value == wanted) return known;
    }
    return "";
}

}  // namespace

nb::object SettingField::read(const void* settings) const {
    const char* field = static_cast<const char*>(settings) + offset;
    switch (kind) {
        case Kind::real:
            return nb::cast(load<double>(field));
        case Kind::integer:
            return nb::cast(load<Index>(field));
        case Kind::boolean:
            return nb::cast(load<bool>(field));
        case Kind::choice:
            return nb::cast(name_of(*this, load<int>(field)));
        case Kind::nested:
            break;
    }
    return read_nested(field);
}

void SettingField::write(void* settings, nb::handle value) const {
    char* field = static_cast<char*>(settings) + offset;
    switch (kind) {
        case Kind::real:
            return store(field, cast_for<double>(*this, value));
        case Kind::integer:
            return store(field, cast_for<Index>(*this, value));
        case Kind::boolean:
            return store(field, cast_for<bool>(*this, value));
        case Kind::choice:
            return store(field, value_of(*this, cast_for<std::string>(*this, value)));
        case Kind::nested:
            break;
    }
    if (!write_nested(field, value)) refuse(*this, value);
}

std::string SettingField::property_type() const {
    switch (kind) {
        case Kind::real:
            return "float";
        case Kind::integer:
            return "int";
        case Kind::boolean:
            return "bool";
        case Kind::choice:
            return "str";
        case Kind::nested:
            break;
    }
    return class_name;
}

std::string SettingField::argument_type() const {
    if (kind != Kind::choice) return property_type();
    std::string type;
    for (const auto& [known, value] : names) type += (type.empty() ? "\"" : ", \"") + known + "\"";
    return "Literal[" + type + "]";
}

const SettingField& SettingFields::add(SettingField field) {
    return fields_.emplace_back(std::move(field));
}

void SettingFields::assign(void* settings, const nb::kwargs& given,
                           const std::string& class_name) const {
    for (const auto& [key, value] : given) {
        const auto name = nb::cast<std::string>(key);
        const SettingField* found = nullptr;
        for (const auto& field : fields_) {
            if (field.name == name) found = &field;
        }
        if (found == nullptr) {
            throw nb::type_error((class_name + " has no setting '" + name + "'").c_str());
        }
        found->write(settings, value);
    }
}

std::string SettingFields::repr(const void* settings, const std::string& class_name) const {
    std::string text = class_name + "(";
    const char* comma = "";
    for (const auto& field : fields_) {
        text += comma + field.name + "=" + nb::cast<std::string>(nb::repr(field.read(settings)));
        comma = ", ";
    }
    return text + ")";
}

std::string SettingFields::arguments() const {
    std::string text = ", *";
    for (const auto& field : fields_) {
        text += ", " + field.name + ": " + field.argument_type() + " = ...";
    }
    return text;
}

const char* SettingFields::keep(std::string signature) {
    return signatures_.emplace_back(std::move(signature)).c_str();
}

}  // namespace svmosaic
