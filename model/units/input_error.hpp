// The one exception for bad input from outside: wrong scenario, wrong file, wrong call. Programs end with exit code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace orrery {

/// Bad input. The message is one line: what is wrong, where (file:line:column or byte), and the mend.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace orrery
