/* A driver without a GPU: memory is the host's, and a kernel is what arithmetic says that it is.
 *
 * STUB_GPUS is how many there are, STUB_NAME what they are called, STUB_NODE the number of their node. STUB_FAULT=KIND:GPU is what is wrong with one of them:
 *   integers, floats   a number of this kernel is wrong, each time      unsteady   another one each time
 *   tires              a number is wrong, after eight times right
 *   memory             one bit does not come back as it was written     lost       each call after the first is refused
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, LOST = 999, BEGINNINGS = 1024, STEPS = 4096 };

static int current = 0, is_ready = 0, launches = 0, worked = 0;

static int gpus(void) { return getenv("STUB_GPUS") ? atoi(getenv("STUB_GPUS")) : 2; }

static int has(const char *kind) {
    char wanted[64];
    const char *given = getenv("STUB_FAULT");
    snprintf(wanted, sizeof wanted, "%s:%d", kind, current);
    return given && strcmp(given, wanted) == 0;
}

static int answer(void) { return !is_ready ? NOT_INITIALIZED : has("lost") ? LOST : OK; }

int cuInit(unsigned flags) { (void)flags; is_ready = 1; return gpus() ? OK : NO_DEVICE; }
int cuDriverGetVersion(int *version) { *version = 12090; return OK; }
int cuDeviceGetCount(int *count) { *count = gpus(); return OK; }
int cuDeviceGet(int *device, int index) { *device = index; return OK; }
int cuGetErrorString(int status, const char **text) {
    *text = status == LOST ? "unknown error" : status == OUT_OF_MEMORY ? "out of memory" : "initialization error";
    return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)(intptr_t)(device + 1); return OK; }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return OK; }
int cuCtxSetCurrent(void *context) { current = (int)(intptr_t)context - 1; return OK; }
int cuCtxSynchronize(void) { return answer(); }

int cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    snprintf(name, size, "%s", getenv("STUB_NAME") ? getenv("STUB_NAME") : "NVIDIA H100 80GB HBM3");
    return OK;
}
int cuDeviceGetPCIBusId(char *bus, int size, int device) { snprintf(bus, size, "0000:%02X:00.0", 0x10 + device); return OK; }
int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    memset(uuid, 0, 16);
    uuid[14] = (unsigned char)(getenv("STUB_NODE") ? atoi(getenv("STUB_NODE")) : 0);
    uuid[15] = (unsigned char)device;
    return OK;
}
int cuDeviceTotalMem_v2(size_t *size, int device) { (void)device; *size = 81559UL << 20; return OK; }
int cuMemGetInfo_v2(size_t *free_, size_t *size) { *free_ = 80000UL << 20; *size = 81559UL << 20; return answer(); }

int cuMemAlloc_v2(uint64_t *there, size_t size) { *there = (uint64_t)(uintptr_t)malloc(size); return *there ? answer() : OUT_OF_MEMORY; }
int cuMemFree_v2(uint64_t there) { free((void *)(uintptr_t)there); return OK; }
int cuMemHostAlloc(void **here, size_t size, unsigned flags) { (void)flags; *here = malloc(size); return *here ? OK : OUT_OF_MEMORY; }
int cuMemFreeHost(void *here) { free(here); return OK; }

int cuMemsetD32_v2(uint64_t there, unsigned word, size_t count) {
    uint32_t *at = (uint32_t *)(uintptr_t)there;
    for (size_t each = 0; each < count; each++) at[each] = word;
    if (has("memory") && count > 100) at[100] = word ^ 1;
    return answer();
}
int cuMemcpyHtoD_v2(uint64_t there, const void *here, size_t size) { memcpy((void *)(uintptr_t)there, here, size); return answer(); }
int cuMemcpyDtoH_v2(void *here, uint64_t there, size_t size) { memcpy(here, (void *)(uintptr_t)there, size); return answer(); }
int cuMemcpyDtoD_v2(uint64_t there, uint64_t other, size_t size) {
    memcpy((void *)(uintptr_t)there, (void *)(uintptr_t)other, size);
    return answer();
}

int cuModuleLoadData(void **module, const void *text) { *module = (void *)text; return strstr(text, ".version") ? answer() : LOST; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module;
    *function = strcmp(name, "floats") == 0 ? "floats" : "integers";
    return answer();
}

static uint32_t integers(uint32_t x) {
    for (int step = 0; step < STEPS; step++) { x = x * 1664525u + 1013904223u; x ^= x >> 13; }
    return x;
}
static uint32_t floats(uint32_t x) {
    uint32_t c = (x & 7) + 1;
    for (int step = 0; step < STEPS; step++) x = (5 * x + c) % 4096;
    return x;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **given, void **more) {
    (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)more;
    uint32_t *out = (uint32_t *)(uintptr_t)*(uint64_t *)given[0], known[BEGINNINGS];
    for (uint32_t x = 0; x < BEGINNINGS; x++) known[x] = strcmp(function, "floats") == 0 ? floats(x) : integers(x);
    for (size_t at = 0; at < (size_t)gx * bx; at++) out[at] = known[at % BEGINNINGS];
    launches++;
    if (has(function)) out[7] ^= 1;
    if (has("unsteady")) out[launches] ^= 1;
    if (has("tires") && ++worked > 8) out[7] ^= 1;
    return answer();
}
