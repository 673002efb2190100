package io.polder.tools.scan;

import io.polder.tools.scan.MethodCode.Handler;

import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The copies that a compiler makes of a {@code finally}: one for each way out of the {@code try}.
 *
 * <pre>{@code
 *   try {                    ...            the try
 *       work();              free(p)        a copy
 *   } finally {              return
 *       free(p);             astore x       whatever is thrown
 *   }                        free(p)        another copy
 *                            aload x, athrow
 * }</pre>
 *
 * <p>What is thrown goes one way only, so what lies there is there as often as in the source. Of
 * uses that are the same in everything, their line as well, only so many are counted. Where there
 * are no lines, all are.
 */
final class FinallyCopies {
    private final List<Rethrow> rethrows = new ArrayList<>();

    /** Instructions between a catch of everything and its being thrown again. */
    private record Rethrow(int from, int to) {
        int count(List<Integer> indexes) {
            return Math.toIntExact(
                    indexes.stream().filter(index -> from <= index && index < to).count());
        }
    }

    FinallyCopies(MethodCode code) {
        for (Handler handler : code.handlers()) {
            int from = handler.target();
            if (handler.catchesAll() && code.instruction(from) instanceof StoreInstruction caught) {
                IntStream.range(from, code.size() - 1)
                        .filter(index -> throwsAgain(code, index, caught.slot()))
                        .findFirst()
                        .ifPresent(to -> rethrows.add(new Rethrow(from, to)));
            }
        }
    }

    private static boolean throwsAgain(MethodCode code, int index, int slot) {
        return code.instruction(index) instanceof LoadInstruction load
                && load.typeKind() == TypeKind.REFERENCE
                && load.slot() == slot
                && code.instruction(index + 1) instanceof ThrowInstruction;
    }

    /**
     * The uses without their copies.
     *
     * @param uses of the method, in order
     * @param indexes of their instructions
     */
    List<Use> without(List<Use> uses, List<Integer> indexes) {
        Map<Use, List<Integer>> same = new HashMap<>();
        for (int i = 0; i < uses.size(); i++) {
            same.computeIfAbsent(uses.get(i), _ -> new ArrayList<>()).add(indexes.get(i));
        }
        Map<Use, Integer> left = new HashMap<>();
        same.forEach(
                (use, all) -> left.put(use, use.place().line() > 0 ? inSource(all) : all.size()));
        return uses.stream().filter(use -> left.merge(use, -1, Integer::sum) >= 0).toList();
    }

    private int inSource(List<Integer> indexes) {
        return rethrows.stream()
                .mapToInt(rethrow -> rethrow.count(indexes))
                .filter(count -> count > 0)
                .min()
                .orElse(indexes.size());
    }
}
