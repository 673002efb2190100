package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetadataModelTest {
    @Test
    void array_hasItsLengthInFront() {
        assertThat(MetadataModel.array(4, MetadataModel.U1)).isEqualTo(1);
        assertThat(MetadataModel.array(5, MetadataModel.U1)).isEqualTo(2);
        assertThat(MetadataModel.array(2, MetadataModel.U2)).isEqualTo(1);
        assertThat(MetadataModel.array(3, MetadataModel.POINTER)).isEqualTo(4);
        assertThat(MetadataModel.array(2, MetadataModel.RESOLVED_FIELD)).isEqualTo(7);
    }

    @Test
    void structures_growByWords() {
        assertThat(MetadataModel.constantPool(100) - MetadataModel.constantPool(0)).isEqualTo(100);
        assertThat(MetadataModel.method(true) - MetadataModel.method(false)).isEqualTo(2);
        assertThat(MetadataModel.constantMethod(1)).isEqualTo(MetadataModel.constantMethod(8));
        assertThat(MetadataModel.constantMethod(9)).isEqualTo(MetadataModel.constantMethod(0) + 2);
        assertThat(MetadataModel.classWords(5, 4, 1) - MetadataModel.classWords(0, 0, 0))
                .isEqualTo(10);
    }

    @Test
    void packed_takesMoreBytesForLargerNumbers() {
        assertThat(MetadataModel.packed(0)).isEqualTo(1);
        assertThat(MetadataModel.packed(190)).isEqualTo(1);
        assertThat(MetadataModel.packed(191)).isEqualTo(2);
        assertThat(MetadataModel.packed(12_479)).isEqualTo(3);
        assertThat(MetadataModel.packed(Integer.MAX_VALUE)).isEqualTo(4);
    }

    @Test
    void lineStep_thatIsShort_isOneByte() {
        assertThat(MetadataModel.lineStep(31, 7)).isEqualTo(1);
        assertThat(MetadataModel.lineStep(32, 7)).isEqualTo(3);
        assertThat(MetadataModel.lineStep(31, 8)).isEqualTo(3);
        assertThat(MetadataModel.lineStep(1, -1)).isEqualTo(3);
        assertThat(MetadataModel.lineStep(200, -200)).isEqualTo(5);
    }
}
