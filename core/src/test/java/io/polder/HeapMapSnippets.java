package io.polder;

import io.polder.heap.RelocatingHeap;

/** The hash map of the heap's Javadoc, compiled. */
final class HeapMapSnippets {
    private HeapMapSnippets() {}

    // @start region="map"
    /** Trades by number, in a heap: 32 bytes each, and 8 for a bucket. For one thread. */
    static final class Trades {
        private static final long NUMBER = 0;
        private static final long NEXT = 8; // handle of the next trade in the bucket, or 0
        private static final long QUANTITY = 16;
        private static final long PRICE = 24;
        private static final long BYTES = 32;

        private final RelocatingHeap heap;
        private long buckets; // handle of an object with the handle of each bucket's first trade
        private long count;

        Trades(RelocatingHeap heap) {
            this.heap = heap;
            this.buckets = heap.allocate(16 * Long.BYTES);
        }

        private long bucket(long table, long number) {
            long hash = (number * 0x9E37_79B9_7F4A_7C15L) >>> 32;
            return hash % (heap.size(table) / Long.BYTES) * Long.BYTES;
        }

        /** The handle of a trade; 0 if there is none. */
        long find(long number) {
            long trade = heap.getLong(buckets, bucket(buckets, number));
            while (trade != 0 && heap.getLong(trade, NUMBER) != number) {
                trade = heap.getLong(trade, NEXT);
            }
            return trade;
        }

        double value(long trade) {
            return heap.getLong(trade, QUANTITY) * heap.getDouble(trade, PRICE);
        }

        void put(long number, long quantity, double price) {
            long trade = find(number);
            if (trade == 0) {
                trade = heap.allocate(BYTES);
                heap.setLong(trade, NUMBER, number);
                link(buckets, trade);
                count++;
                if (count > heap.size(buckets) / Long.BYTES) {
                    grow();
                }
            }
            heap.setLong(trade, QUANTITY, quantity);
            heap.setDouble(trade, PRICE, price);
        }

        private void link(long table, long trade) {
            long bucket = bucket(table, heap.getLong(trade, NUMBER));
            heap.setLong(trade, NEXT, heap.getLong(table, bucket));
            heap.setLong(table, bucket, trade);
        }

        private void grow() {
            long bytes = heap.size(buckets);
            long larger = heap.allocate(2 * bytes);
            for (long bucket = 0; bucket < bytes; bucket += Long.BYTES) {
                long next;
                for (long trade = heap.getLong(buckets, bucket); trade != 0; trade = next) {
                    next = heap.getLong(trade, NEXT);
                    link(larger, trade);
                }
            }
            heap.free(buckets);
            buckets = larger;
        }

        boolean remove(long number) {
            long before = buckets; // what names the trade, and where it does
            long offset = bucket(buckets, number);
            long trade = heap.getLong(before, offset);
            while (trade != 0 && heap.getLong(trade, NUMBER) != number) {
                before = trade;
                offset = NEXT;
                trade = heap.getLong(before, offset);
            }
            if (trade != 0) {
                heap.setLong(before, offset, heap.getLong(trade, NEXT));
                heap.free(trade);
                count--;
            }
            return trade != 0;
        }
    }
    // @end
}
