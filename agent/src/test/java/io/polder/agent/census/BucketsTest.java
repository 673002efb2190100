package io.polder.agent.census;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BucketsTest {
    @Test
    void sizes_leastAndMost_fallIntoTheirBucket() {
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            assertThat(Buckets.ofSize(Buckets.sizeMin(bucket))).isEqualTo(bucket);
            if (bucket < Buckets.SIZES - 1) {
                assertThat(Buckets.ofSize(Buckets.sizeMin(bucket + 1) - 1)).isEqualTo(bucket);
            }
        }
        assertThat(Buckets.ofSize(Long.MAX_VALUE)).isEqualTo(Buckets.SIZES - 1);
        assertThat(Buckets.sizeMin(Buckets.SIZES - 1)).isEqualTo(1L << 30);
    }

    @Test
    void allocations_leastAndMost_fallIntoTheirBucket() {
        for (int bucket = 0; bucket < Buckets.ALLOCATIONS; bucket++) {
            assertThat(Buckets.ofAllocations(Buckets.allocationsMin(bucket))).isEqualTo(bucket);
            if (bucket < Buckets.ALLOCATIONS - 1) {
                long most = Buckets.allocationsMin(bucket + 1) - 1;
                assertThat(Buckets.ofAllocations(most)).isEqualTo(bucket);
            }
        }
        assertThat(Buckets.ofAllocations(Long.MAX_VALUE)).isEqualTo(Buckets.ALLOCATIONS - 1);
    }

    @Test
    void lifetimes_leastAndMost_fallIntoTheirBucket() {
        for (int bucket = 0; bucket < Buckets.LIFETIMES; bucket++) {
            assertThat(Buckets.ofLifetime(Buckets.lifetimeMin(bucket))).isEqualTo(bucket);
            if (bucket < Buckets.LIFETIMES - 1) {
                long most = Buckets.lifetimeMin(bucket + 1) - 1;
                assertThat(Buckets.ofLifetime(most)).isEqualTo(bucket);
            }
        }
    }

    @Test
    void names_areThoseOfThePublishedAnalysis() {
        assertThat(Buckets.sizeNames())
                .hasSize(Buckets.SIZES)
                .startsWith("0", "1-7", "8-15", "16-31", "32-63")
                .contains("512-1K", "1K-2K", "512K-1M")
                .endsWith("512M-1G", "1G..");
        assertThat(Buckets.allocationNames())
                .hasSize(Buckets.ALLOCATIONS)
                .startsWith("0", "1", "2", "3-4", "5-8")
                .endsWith("513-1024", "1025..");
        assertThat(Buckets.lifetimeNames()).hasSize(Buckets.LIFETIMES);
    }
}
