package io.parley.bench.stream;

import java.io.EOFException;

/** The server's part in the exchanges of one connection. */
public final class StreamResponder {

    private final StreamEnd end;
    private final ProcessorMeter meter;

    /** Creates the responder of a connection, which runs the meter during the blocks. */
    public StreamResponder(StreamEnd end, ProcessorMeter meter) {
        this.end = end;
        this.meter = meter;
    }

    /** Takes part in all exchanges until the client closes the connection. */
    public void run() throws Exception {
        byte[] announcement = new byte[StreamExchange.BYTES];
        while (true) {
            try {
                end.read(announcement, announcement.length);
            } catch (EOFException closed) {
                return;
            }
            StreamExchange exchange = StreamExchange.decode(announcement);
            byte[] block = new byte[exchange.bytes()];
            // confirms that the block is allocated
            end.write(new byte[1], 1);
            end.flush();
            StreamChecksum checksum = new StreamChecksum();
            switch (exchange.form()) {
                case PING_PONG -> pingPong(exchange, block, checksum);
                case ACKNOWLEDGED -> acknowledged(exchange, block, checksum);
                case ONE_WAY -> oneWay(exchange, block, checksum);
            }
            if (exchange.form() != StreamExchange.Form.ONE_WAY) {
                end.read(new byte[1], 1); // the client has the last block
            }
            end.write(checksum.toBytes(), StreamExchange.CHECKSUM_BYTES);
            end.flush();
        }
    }

    private void pingPong(StreamExchange exchange, byte[] block, StreamChecksum checksum) throws Exception {
        meter.start();
        for (int i = 0; i < exchange.count(); i++) {
            end.read(block, block.length);
            end.write(block, block.length);
            end.flush();
        }
        meter.stop();
        checksum.add(block);
    }

    private void acknowledged(StreamExchange exchange, byte[] block, StreamChecksum checksum) throws Exception {
        byte[] acknowledgement = new byte[1];
        meter.start();
        for (int i = 0; i < exchange.count(); i++) {
            end.read(block, block.length);
            checksum.add(block);
            end.write(acknowledgement, 1);
            end.flush();
        }
        meter.stop();
    }

    private void oneWay(StreamExchange exchange, byte[] block, StreamChecksum checksum) throws Exception {
        meter.start();
        for (int i = 0; i < exchange.count(); i++) {
            end.read(block, block.length);
            checksum.add(block);
        }
        meter.stop();
    }
}
