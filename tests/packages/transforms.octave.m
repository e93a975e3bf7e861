rand("seed", 1); randn("seed", 2);
function show(x)
  x = double(x(:)); i = (1:numel(x))';
  printf("%.9e %.9e %.9e\n", norm(x), real(sum(x .* cos(i))), imag(sum(x .* sin(i))));
end
for type = {"double", "single"}
  t = type{1};
  for n = [1 2 3 5 7 16 17 60 64 97 100 128 243 1000 1009 1024]
    x = cast(randn(n, 3), t); z = complex(x, cast(randn(n, 3), t));
    show(fft(x)); show(fft(z)); show(ifft(z)); show(fft(z, [], 2)); show(ifft(fft(x)));
    show(fft(x, n + 5)); show(fft(z, max(1, n - 1)));
  end
  x = cast(randn(12, 15, 7), t); z = complex(x, x .^ 2);
  show(fft2(x)); show(fft2(z)); show(ifft2(z)); show(fftn(x)); show(fftn(z)); show(ifftn(z));
  show(fftconv(cast(randn(1, 300), t), cast(randn(1, 70), t)));
  show(fftfilt(cast(randn(1, 30), t), cast(randn(1000, 2), t)));
end
fftw("threads", 2); show(fft(randn(4096, 4)));
