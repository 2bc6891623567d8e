/* What a driver counts and knows of GPUs that are not there. STUB_FAULT=KIND:GPU:
 *   ecc, remapped   grew while it computed      narrow, old   its link is less than it can be
 *   unwatched       it does not answer
 *   hot             held back by heat           capped        held back by a limit that somebody lowered
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, NOT_FOUND = 6, GPU_IS_LOST = 15 };

static int looks = 0;

static int has(const char *kind, void *device) {
    char wanted[64];
    const char *given = getenv("STUB_FAULT");
    snprintf(wanted, sizeof wanted, "%s:%d", kind, (int)(intptr_t)device - 1);
    return given && strcmp(given, wanted) == 0;
}

int nvmlInit_v2(void) { return OK; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { snprintf(text, size, "580.95.05"); return OK; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    unsigned at = 0;
    int is_ours = sscanf(uuid, "GPU-00000000-0000-0000-0000-%x", &at) == 1;
    *device = (void *)(intptr_t)((at & 0xff) + 1);
    return !is_ours ? NOT_FOUND : has("unwatched", *device) ? GPU_IS_LOST : OK;
}
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int since, unsigned long long *count) {
    (void)kind, (void)since;
    *count = has("ecc", device) ? (unsigned long long)looks++ : 0;
    return OK;
}
int nvmlDeviceGetRemappedRows(void *device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed) {
    *corrected = *pending = *failed = 0;
    *uncorrected = has("remapped", device) ? (unsigned)looks++ : 0;
    return OK;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *value) { *value = has("old", device) ? 3 : 5; return OK; }
int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *value) { (void)device; *value = 5; return OK; }
int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *value) { *value = has("narrow", device) ? 8 : 16; return OK; }
int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *value) { (void)device; *value = 16; return OK; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits) {
    *bits = 0x1 | 0x4 | (has("hot", device) ? 0x40 : 0);
    return OK;
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees) { (void)sensor; *degrees = has("hot", device) ? 94 : 66; return OK; }
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) { (void)device; *milliwatts = 642000; return OK; }
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *megahertz) { (void)clock; *megahertz = has("hot", device) ? 900 : 1755; return OK; }
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts) { *milliwatts = has("capped", device) ? 400000 : 700000; return OK; }
int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts) { (void)device; *milliwatts = 700000; return OK; }
