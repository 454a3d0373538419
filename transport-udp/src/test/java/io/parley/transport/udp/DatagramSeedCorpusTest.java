package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The seed corpus of {@link DatagramReceiverFuzzTest}. It must be what {@link TestSender} produces. {@link #main} writes it.
 *
 * <p>The fuzz test takes datagrams from the front of its input, and from its end the bytes that control it: the source, the
 * kind of the datagram and its changes.
 */
final class DatagramSeedCorpusTest {

    private static final int RAW = 4;

    private static Map<String, byte[]> seeds() {
        List<byte[]> datagrams = DatagramReceiverFuzzTest.validDatagrams();
        Map<String, byte[]> seeds = new LinkedHashMap<>();
        seeds.put("raw-single", raw(DatagramReceiverFuzzTest.smallDatagram()));
        seeds.put("raw-first-fragment", raw(datagrams.get(0)));
        seeds.put("raw-last-fragment", raw(datagrams.get(datagrams.size() - 1)));
        seeds.put("complete-message", controls(valid(0, 0), valid(1, 0), valid(2, 0)));
        seeds.put("reversed-then-repeated", controls(valid(2, 0), valid(1, 0), valid(0, 0), valid(0, 0), valid(1, 0)));
        seeds.put(
                "message-twice",
                controls(valid(0, 0), valid(1, 0), valid(2, 0), valid(0, 0), valid(1, 0), valid(2, 0)));
        seeds.put("cut-fragment", controls(valid(0, 0), cut(), valid(1, 0), valid(2, 0)));
        seeds.put(
                "two-sources", controls(valid(0, 0), valid(0, 1), valid(1, 1), valid(1, 0), valid(2, 1), valid(2, 0)));
        seeds.put("late-last-fragment", controls(valid(0, 0), valid(1, 0), late(), late(), valid(2, 0)));
        return seeds;
    }

    /** A datagram of source 0 that is the whole rest of the input. */
    private static byte[] raw(byte[] datagram) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(datagram);
        out.write(RAW);
        out.write(0);
        return out.toByteArray();
    }

    /** Source, index, no changes, whole, no time until the next datagram (two bytes). */
    private static int[] valid(int index, int source) {
        return new int[] {source, index, 0, 1, 0, 0};
    }

    /** The first 40 bytes of the last fragment from source 0, less than a header. */
    private static int[] cut() {
        return new int[] {0, 2, 0, 0, 40, 0, 0};
    }

    /** The first fragment from another source, then 3,000 ms. */
    private static int[] late() {
        return new int[] {2, 0, 0, 1, 3000 >> 8, 3000 & 0xff};
    }

    /** The fuzz test takes these values from the end of its input, the last one first. */
    private static byte[] controls(int[]... steps) {
        int at = Arrays.stream(steps).mapToInt(step -> step.length).sum();
        byte[] all = new byte[at];
        for (int[] step : steps) {
            for (int value : step) {
                all[--at] = (byte) value;
            }
        }
        return all;
    }

    @Test
    void corpus_isWhatASenderProduces() throws IOException {
        for (Map.Entry<String, byte[]> seed : seeds().entrySet()) {
            String name = "DatagramReceiverFuzzTestInputs/receive/" + seed.getKey();
            URL resource = DatagramSeedCorpusTest.class.getResource(name);
            assertThat(resource).as(name).isNotNull();
            try (InputStream in = resource.openStream()) {
                assertThat(in.readAllBytes()).as(name).isEqualTo(seed.getValue());
            }
        }
    }

    /** Writes the corpus into the folder of test resources that is the only argument. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0], "io/parley/transport/udp/DatagramReceiverFuzzTestInputs/receive");
        Files.createDirectories(folder);
        for (Map.Entry<String, byte[]> seed : seeds().entrySet()) {
            Files.write(folder.resolve(seed.getKey()), seed.getValue());
        }
    }
}
