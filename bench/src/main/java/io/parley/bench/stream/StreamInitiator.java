package io.parley.bench.stream;

import org.HdrHistogram.Histogram;

/** The client's part in the exchanges of one connection, which it measures. */
public final class StreamInitiator {

    private static final int DIGITS = 3;

    private final StreamEnd end;
    private final ProcessorMeter meter;

    /** Creates the initiator of a connection, which runs the meter during the blocks. */
    public StreamInitiator(StreamEnd end, ProcessorMeter meter) {
        this.end = end;
        this.meter = meter;
    }

    /**
     * Runs an exchange, and checks that every byte arrived.
     *
     * @throws IllegalStateException if one did not
     */
    public StreamTiming run(StreamExchange exchange) throws Exception {
        byte[] block = StreamChecksum.block(exchange.bytes());
        end.write(exchange.encode(), StreamExchange.BYTES);
        end.flush();
        end.read(new byte[1], 1);
        return switch (exchange.form()) {
            case PING_PONG -> pingPong(exchange, block);
            case ACKNOWLEDGED -> acknowledged(exchange, block);
            case ONE_WAY -> oneWay(exchange, block);
        };
    }

    private StreamTiming pingPong(StreamExchange exchange, byte[] block) throws Exception {
        Histogram times = histogram();
        meter.start();
        long start = System.nanoTime();
        long last = start;
        for (int i = 0; i < exchange.count(); i++) {
            StreamChecksum.touch(block);
            end.write(block, block.length);
            end.flush();
            end.read(block, block.length);
            last = record(times, last);
        }
        meter.stop();
        byte[] expected = StreamChecksum.block(exchange.bytes());
        expected[0] += (byte) exchange.count();
        StreamChecksum sent = new StreamChecksum();
        sent.add(expected);
        StreamChecksum received = new StreamChecksum();
        received.add(block);
        sent.require(received.toBytes(), exchange, "client");
        requestChecksum();
        sent.require(checksumOfServer(), exchange, "server");
        return new StreamTiming(exchange.count(), last - start, times);
    }

    private StreamTiming acknowledged(StreamExchange exchange, byte[] block) throws Exception {
        Histogram times = histogram();
        byte[] acknowledgement = new byte[1];
        meter.start();
        long start = System.nanoTime();
        long last = start;
        for (int i = 0; i < exchange.count(); i++) {
            StreamChecksum.number(block, i);
            end.write(block, block.length);
            end.flush();
            end.read(acknowledgement, 1);
            last = record(times, last);
        }
        meter.stop();
        requestChecksum();
        expected(exchange).require(checksumOfServer(), exchange, "server");
        return new StreamTiming(exchange.count(), last - start, times);
    }

    private StreamTiming oneWay(StreamExchange exchange, byte[] block) throws Exception {
        meter.start();
        long start = System.nanoTime();
        for (int i = 0; i < exchange.count(); i++) {
            StreamChecksum.number(block, i);
            end.write(block, block.length);
        }
        end.flush();
        byte[] checksum = checksumOfServer();
        long elapsed = System.nanoTime() - start;
        meter.stop();
        expected(exchange).require(checksum, exchange, "server");
        return new StreamTiming(exchange.count(), elapsed, histogram());
    }

    /** Returns the checksum of all numbered blocks. */
    private static StreamChecksum expected(StreamExchange exchange) {
        byte[] block = StreamChecksum.block(exchange.bytes());
        StreamChecksum expected = new StreamChecksum();
        for (int i = 0; i < exchange.count(); i++) {
            StreamChecksum.number(block, i);
            expected.add(block);
        }
        return expected;
    }

    /** Lets the server send nothing after its last block: pipes of JXTA do not keep the order of two messages. */
    private void requestChecksum() throws Exception {
        end.write(new byte[1], 1);
        end.flush();
    }

    private byte[] checksumOfServer() throws Exception {
        byte[] checksum = new byte[StreamExchange.CHECKSUM_BYTES];
        end.read(checksum, checksum.length);
        return checksum;
    }

    private static long record(Histogram times, long last) {
        long now = System.nanoTime();
        times.recordValue(now - last);
        return now;
    }

    private static Histogram histogram() {
        return new Histogram(DIGITS);
    }
}
