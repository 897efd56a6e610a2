/* Stands in for devices_cuda.c in a build without CUDA. */
#include "apps/common/devices.h"

bool devices_cuda(char version[DEVICES_TEXT])
{
    version[0] = '\0';
    return false;
}

int devices_gpus(char text[DEVICES_TEXT])
{
    snprintf(text, DEVICES_TEXT, "this program was built without CUDA");
    return 0;
}

bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT])
{
    (void)index;
    (void)gpu;
    devices_gpus(why);
    return false;
}
