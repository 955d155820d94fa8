# SPDX-License-Identifier: MIT
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${CURRENT_PORT_DIR}/posemill-${VERSION}.tar.gz")

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    motion POSEMILL_MOTION
    motion POSEMILL_GLTF
    motion POSEMILL_NPZ
    motion POSEMILL_BATCH
    motion POSEMILL_MESHOPT
    motion POSEMILL_ARCHIVES
    motion POSEMILL_GIF)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
    ${features}
    -DBUILD_TESTING=OFF
    -DPOSEMILL_TOOLS=OFF
    -DPOSEMILL_BENCH=OFF
    -DPOSEMILL_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/posemill)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
