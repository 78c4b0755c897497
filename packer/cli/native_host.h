// Gives a job the environment and the child processes of the machine that the command line runs on.
//
//     SHEAF_MODELS                 where the encoder table is (host/encoder_table.h)
//     SHEAF_COMMAND, PATH          the command that embeds with a transformer
//     XDG_CACHE_HOME, HOME         where vectors are kept
#ifndef SHEAF_PACKER_CLI_NATIVE_HOST_H_
#define SHEAF_PACKER_CLI_NATIVE_HOST_H_

namespace sheaf::packer {

struct JobHost;  // job/open_job.h

JobHost NativeHost();

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_NATIVE_HOST_H_
