#pragma once

namespace starling {

/// Tells `starling run`, if that started the program, that it was said why there is no record: it says nothing more.
void record_explained();

}  // namespace starling
