package io.parley.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.PeerFaultException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilePrefixTest {

    private static final int MIB = 1024 * 1024;

    @TempDir
    private Path directory;

    private Path whole;
    private Path part;

    @BeforeEach
    void write() throws IOException {
        byte[] bytes = new byte[4 * MIB + 5];
        new Random(Long.getLong("parley.test.seed", 7)).nextBytes(bytes);
        whole = Files.write(directory.resolve("whole"), bytes);
        part = Files.write(directory.resolve("part"), bytes);
    }

    @ParameterizedTest
    @CsvSource({"1", "1048575", "1048576", "1048577", "4194304", "4194309"})
    void undamagedBeginning_matchesCompletely(long length) throws IOException {
        assertThat(common(part, whole, length)).isEqualTo(length);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1048575,0", "1048576,1", "3145727,2", "3145728,3", "4194308,4"})
    void damagedBeginning_matchesUpToTheMarkBefore(long damagedAt, long markMib) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
            file.seek(damagedAt);
            int old = file.read();
            file.seek(damagedAt);
            file.write(old ^ 1);
        }

        assertThat(common(part, whole, Files.size(part))).isEqualTo(markMib * MIB);
    }

    private static long common(Path part, Path whole, long length) throws IOException {
        long step = FilePrefix.stepOf(length);
        return FilePrefix.of(part, length, step)
                .commonLength(FilePrefix.of(whole, length, step).digests());
    }

    @Test
    void digest_isThatOfTheWholePrefix() throws IOException {
        assertThat(FilePrefix.of(whole, Files.size(whole), MIB).digest())
                .isEqualTo(FilePrefix.of(whole, Files.size(whole), Files.size(whole))
                        .digests());
    }

    @Test
    void largeFile_hasABoundedNumberOfMarks() {
        long tebibyte = 1L << 40;
        assertThat(FilePrefix.digestBytes(tebibyte, FilePrefix.stepOf(tebibyte)))
                .isLessThanOrEqualTo(1024 * 32);
    }

    @Test
    void lengthOrStepOutOfRange_isRejected() {
        assertThatThrownBy(() -> FilePrefix.digestBytes(0, 5)).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> FilePrefix.digestBytes(10, 0)).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> FilePrefix.digestBytes(Long.MAX_VALUE, 1)).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> FilePrefix.digestBytes(1025, 1)).isInstanceOf(PeerFaultException.class);
    }

    @Test
    void wrongNumberOfDigests_isRejected() throws IOException {
        FilePrefix prefix = FilePrefix.of(whole, 10, 5);
        for (int bytes : new int[] {0, 32, 65, 96}) {
            assertThatThrownBy(() -> prefix.commonLength(new byte[bytes])).isInstanceOf(PeerFaultException.class);
        }
    }
}
