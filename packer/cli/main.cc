// sheaf-pack: documentation in, one .sheaf bundle out; and looking at bundles.
//
//   sheaf-pack [pack] INPUT… --library L --version V    make a bundle (pack is the default verb)
//   sheaf-pack watch INPUT… …                           the same, again on each request on stdin
//   sheaf-pack unread INPUT… …                          files that converters must read first
//   sheaf-pack inspect FILE                             sections, sizes, settings
//   sheaf-pack verify FILE                              every checksum, every bound
//   sheaf-pack search FILE QUERY                        the core that the web uses, natively
//   sheaf-pack table DIR OUT                            make an encoder table
//   sheaf-pack version                                  of this tool; also --tool-version, and --version alone
//
// Exit codes
//   0    done
//   1    the command line does not make sense; nothing was done
//   2    failed: no bundle was written (an older one is untouched), the file is not whole, or the
//        question has no answer; with --strict also when a file could not be read or parsed
//   3    the bundle was written, but files that could not be read or parsed are not in it, or some
//        passages could not be embedded; each file is named on stderr and in --json
//   130, 143, 129  ended by SIGINT, SIGTERM, SIGHUP; an older bundle is untouched
//
// Results go to stdout, progress and messages to stderr.
#include <string>
#include <vector>

#include "packer/base/signals.h"
#include "packer/cli/command_line.h"

int main(int argc, char** argv) {
  sheaf::packer::InstallSignalHandlers();
  return sheaf::packer::RunCommandLine(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
