package io.parley.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.PeerFaultException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
        FilePrefix.Match match = FilePrefix.of(part, length).match(whole);

        assertThat(match.length()).isEqualTo(length);
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

        FilePrefix.Match match = FilePrefix.of(part, Files.size(part)).match(whole);

        assertThat(match.length()).isEqualTo(markMib * MIB);
    }

    @Test
    void beginningLongerThanTheFile_matchesTheFile() throws IOException {
        Path shorter = Files.write(directory.resolve("shorter"), Arrays.copyOf(Files.readAllBytes(whole), MIB + 3));

        assertThat(FilePrefix.of(part, 2 * MIB).match(shorter).length()).isEqualTo(MIB);
    }

    @Test
    void largeFile_hasABoundedNumberOfMarks() {
        long tebibyte = 1L << 40;
        long step = Math.max(MIB, tebibyte / 1024 + 1);

        assertThat((tebibyte - 1) / step + 1).isLessThanOrEqualTo(1024);
    }

    @Test
    void wrongNumberOfDigests_isRejected() {
        assertThatThrownBy(() -> new FilePrefix(10, 5, new byte[32])).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> new FilePrefix(10, 5, new byte[65])).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> new FilePrefix(0, 5, new byte[0])).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> new FilePrefix(10, 0, new byte[0])).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> new FilePrefix(Long.MAX_VALUE, 1, new byte[0])).isInstanceOf(PeerFaultException.class);
    }
}
