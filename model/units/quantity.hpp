// Strong physical quantities: a formula that mixes seconds with bytes does not compile.
// Every quantity is a double with exponents of the four base units of this field; what the number means is its type.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace orrery {

/// A double that carries exponents of (seconds, bytes, floating-point operations, tokens).
template <int S, int B, int F, int T>
class Quantity {
  public:
    constexpr Quantity() = default;
    constexpr explicit Quantity(double value) : value_(value) {}

    /// The bare number in base units (s, byte, flop, token and their products).
    [[nodiscard]] constexpr double value() const { return value_; }

    constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
    constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
    constexpr Quantity& operator*=(double factor) { return value_ *= factor, *this; }
    constexpr Quantity& operator/=(double divisor) { return value_ /= divisor, *this; }
    constexpr auto operator<=>(const Quantity&) const = default;

    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
    friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.value_); }
    friend constexpr Quantity operator*(Quantity a, double f) { return Quantity(a.value_ * f); }
    friend constexpr Quantity operator*(double f, Quantity a) { return Quantity(a.value_ * f); }
    friend constexpr Quantity operator/(Quantity a, double d) { return Quantity(a.value_ / d); }

  private:
    double value_ = 0.0;
};

namespace detail {
/// A product of units that cancels is a plain double.
template <int S, int B, int F, int T>
constexpr auto collapse(double value) {
    if constexpr (S == 0 && B == 0 && F == 0 && T == 0) {
        return value;
    } else {
        return Quantity<S, B, F, T>(value);
    }
}
}  // namespace detail

template <int S1, int B1, int F1, int T1, int S2, int B2, int F2, int T2>
constexpr auto operator*(Quantity<S1, B1, F1, T1> a, Quantity<S2, B2, F2, T2> b) {
    return detail::collapse<S1 + S2, B1 + B2, F1 + F2, T1 + T2>(a.value() * b.value());
}

template <int S1, int B1, int F1, int T1, int S2, int B2, int F2, int T2>
constexpr auto operator/(Quantity<S1, B1, F1, T1> a, Quantity<S2, B2, F2, T2> b) {
    return detail::collapse<S1 - S2, B1 - B2, F1 - F2, T1 - T2>(a.value() / b.value());
}

template <int S, int B, int F, int T>
constexpr auto operator/(double a, Quantity<S, B, F, T> b) {
    return detail::collapse<-S, -B, -F, -T>(a / b.value());
}

using Seconds = Quantity<1, 0, 0, 0>;
using Bytes = Quantity<0, 1, 0, 0>;
using Flops = Quantity<0, 0, 1, 0>;
using Tokens = Quantity<0, 0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1, 0>;
using TokensPerSecond = Quantity<-1, 0, 0, 1>;

/// Integer nanoseconds of a time, rounded to nearest; what timelines and stores hold.
[[nodiscard]] inline std::int64_t toNanoseconds(Seconds t) {
    return std::llround(t.value() * 1e9);
}
[[nodiscard]] constexpr Seconds fromNanoseconds(std::int64_t ns) {
    return Seconds(static_cast<double>(ns) * 1e-9);
}

inline namespace literals {
// clang-format off
#define ORRERY_UNIT(suffix, Type, scale)                                                                                  \
    constexpr Type operator""_##suffix(long double v) { return Type(static_cast<double>(v) * (scale)); }                  \
    constexpr Type operator""_##suffix(unsigned long long v) { return Type(static_cast<double>(v) * (scale)); }
ORRERY_UNIT(s, Seconds, 1.0)        ORRERY_UNIT(ms, Seconds, 1e-3)      ORRERY_UNIT(us, Seconds, 1e-6)
ORRERY_UNIT(ns, Seconds, 1e-9)
ORRERY_UNIT(B, Bytes, 1.0)          ORRERY_UNIT(KiB, Bytes, 1024.0)     ORRERY_UNIT(MiB, Bytes, 1048576.0)
ORRERY_UNIT(GiB, Bytes, 1073741824.0)                                   ORRERY_UNIT(GB, Bytes, 1e9)
ORRERY_UNIT(flop, Flops, 1.0)       ORRERY_UNIT(GFLOP, Flops, 1e9)      ORRERY_UNIT(TFLOP, Flops, 1e12)
ORRERY_UNIT(GBps, BytesPerSecond, 1e9)                                  ORRERY_UNIT(TFLOPps, FlopsPerSecond, 1e12)
#undef ORRERY_UNIT
// clang-format on
}  // namespace literals

}  // namespace orrery
