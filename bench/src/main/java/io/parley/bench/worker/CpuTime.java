package io.parley.bench.worker;

/** The processor time of both processes of a pair, in nanoseconds. */
public record CpuTime(long connectingNanos, long servingNanos) {

    /** Returns the time that has passed since an earlier reading. */
    public CpuTime since(CpuTime earlier) {
        return new CpuTime(connectingNanos - earlier.connectingNanos, servingNanos - earlier.servingNanos);
    }

    /** Returns the time of both processes together. */
    public long totalNanos() {
        return connectingNanos + servingNanos;
    }
}
