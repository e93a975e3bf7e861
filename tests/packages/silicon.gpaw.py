from ase.build import bulk
from gpaw import GPAW, PW

silicon = bulk("Si", "diamond", a=5.43)
silicon.rattle(0.02, seed=3)
silicon.calc = GPAW(mode=PW(150), kpts=(2, 2, 2), txt=None, convergence={"energy": 1e-6})
print(silicon.get_potential_energy())
for force in silicon.get_forces():
    print(*force)
