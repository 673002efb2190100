package io.polder.lab.experiments.evacuation;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;

import java.util.Map;
import java.util.Objects;

/**
 * All that was found.
 *
 * @param gates by {@link GateJvm}
 * @param reads by {@link ReadJvm}
 * @param traffic by {@link TrafficJvm}, for each kind of gate
 * @param exhaustion by {@link ExhaustionJvm}, for each policy
 * @param shift by {@link ShiftJvm}, for each contender
 * @param stall by {@link StallJvm}
 * @param fullHeap by {@link FullHeapJvm}
 * @param access by {@link AccessJvm}
 */
record Results(
        Findings gates,
        Findings reads,
        Map<GateKind, Findings> traffic,
        Map<EvacuationFailurePolicy, Findings> exhaustion,
        Map<ShiftContender, Findings> shift,
        Findings stall,
        Findings fullHeap,
        Findings access) {
    /** Copies the maps. */
    Results {
        traffic = Map.copyOf(traffic);
        exhaustion = Map.copyOf(exhaustion);
        shift = Map.copyOf(shift);
    }

    Findings traffic(GateKind gate) {
        return Objects.requireNonNull(traffic.get(gate));
    }

    Findings exhaustion(EvacuationFailurePolicy policy) {
        return Objects.requireNonNull(exhaustion.get(policy));
    }

    ShiftFigures shift(ShiftContender contender) {
        return new ShiftFigures(Objects.requireNonNull(shift.get(contender)));
    }

    /** What a read costs beyond a copy of the same bytes, in nanoseconds. */
    double readOverCopy(ReadJvm.Kind read, ReadJvm.Kind copy) {
        return reads.difference(read.id(), copy.id()).median();
    }

    /** What a use of a small object costs, in nanoseconds. */
    double nanosOf(AccessJvm.Kind use) {
        return access.median(use.id());
    }

    /** What a copy of a small object costs beyond one by address, in nanoseconds. */
    double getOverCopy() {
        return access.difference(AccessJvm.Kind.GET_FEW.id(), AccessJvm.Kind.COPY_FEW.id())
                .median();
    }

    /** What a copy of one of many costs, for each nanosecond of one by address. */
    Quartiles randomGetOverCopy() {
        return access.ratio(AccessJvm.Kind.GET_RANDOM.id(), AccessJvm.Kind.COPY_RANDOM.id());
    }
}
